// Scrubbing: configured secrets in every form they travel in, token shapes, control and
// bidirectional characters, and secrets that stand where a text is cut.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../src/errors/scrub.js';

const SECRET = 'p@ss/w0rd+"ü<&>=';
const scrubber = createScrubber([SECRET]);
const utf8 = Buffer.from(SECRET);

describe('a configured secret', () => {
  // prettier-ignore
  const FORMS: readonly (readonly [name: string, text: string, mustGo: string])[] = [
    ['as it is', `bad key ${SECRET}!`, SECRET],
    ['base64', `x ${utf8.toString('base64')} y`, utf8.toString('base64')],
    ['base64url', utf8.toString('base64url'), utf8.toString('base64url')],
    ['percent-encoded', `?k=${encodeURIComponent(SECRET)}`, encodeURIComponent(SECRET)],
    ['percent-encoded in lower case', `p ${encodeURIComponent(SECRET).replace(/%[0-9A-F]{2}/g, (h) => h.toLowerCase())}`, '%40ss'],
    ['percent-encoded twice', `p ${encodeURIComponent(encodeURIComponent(SECRET))}`, 'ss%252F'],
    ['in JSON', JSON.stringify({ v: SECRET }), 'w0rd'],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ v: SECRET })), 'w0rd'],
    ['in ASCII-only JSON', JSON.stringify({ v: SECRET }).replace('ü', '\\u00fc'), 'w0rd'],
    ['in HTML', `<b>${SECRET.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;').replace('"', '&quot;')}</b>`, 'w0rd'],
    ['in hex', `h ${utf8.toString('hex')}`, utf8.toString('hex')],
    ['as Latin-1', utf8.toString('latin1'), 'w0rd'],
    ['with a control character inside', `${SECRET.slice(0, 5)}\u0000${SECRET.slice(5)}`, 'w0rd'],
    ['with a zero-width space inside', `${SECRET.slice(0, 5)}\u200b${SECRET.slice(5)}`, 'w0rd'],
    ['in userinfo', `https://user:${encodeURIComponent(SECRET)}@host/x`, 'w0rd'],
    ['in the query', `https://host/x?q=1&apikey=${encodeURIComponent(SECRET)}#f`, 'w0rd'],
  ];
  it.each(FORMS)('%s', (_name, text, mustGo) => {
    const out = scrubber.text(text);
    expect(text).toContain(mustGo);
    expect(out).not.toContain(mustGo);
    expect(out).toContain('[redacted]');
  });

  it.each([0, 1, 2, 3, 4, 5])('inside Basic credentials, behind a user of %i characters', (n) => {
    const header = Buffer.from(`${'u'.repeat(n)}:${SECRET}`).toString('base64');
    const out = createScrubber([SECRET]).text(`sent ${header} along`);
    const inner = /sent (.*) along/.exec(out)?.[1] ?? '';
    expect(Buffer.from(inner.replaceAll('[redacted]', ''), 'base64').toString()).not.toContain(
      'w0rd',
    );
    expect(out).toContain('[redacted]');
  });

  it('with its scheme also without it, and Basic credentials in the clear', () => {
    expect(createScrubber(['Bearer abcdefgh']).text('token abcdefgh')).toBe('token [redacted]');
    const basic = `Basic ${Buffer.from('user:sesame-open').toString('base64')}`;
    expect(createScrubber([basic]).text('pass sesame-open; user:sesame-open')).toBe(
      'pass [redacted]; [redacted]',
    );
    expect(createScrubber(['https://u:pw-of-7@h/']).text('pw-of-7')).toBe('[redacted]');
  });

  it('of which one contains another goes whole', () => {
    expect(createScrubber(['secret', 'secret-and-more']).text('a secret-and-more b')).toBe(
      'a [redacted] b',
    );
  });

  it('is found among thousands, at the longest, next to each other, at both ends', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `secret-${i}-value`);
    const s = createScrubber([...many, 'secret-7', 'aaaaaa']);
    expect(s.text('secret-7-valuesecret-2999-value')).toBe('[redacted][redacted]');
    expect(s.text('x secret-7 y')).toBe('x [redacted] y');
    expect(s.text('secret-3000-valu')).toBe('secret-3000-valu');
    expect(s.text('aaaaaaa aaaaa')).toBe('[redacted]a aaaaa');
  });

  it('of 3 to 5 characters goes where it stands alone; shorter ones are no secrets', () => {
    const s = createScrubber(['pw1', 'ab', '']);
    expect(s.text('pw1 (pw1) xpw1x ab')).toBe('[redacted] ([redacted]) xpw1x ab');
  });
});

describe('token shapes', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P';
  it.each([
    ['Authorization: Bearer abcdefgh', 'abcdefgh'],
    ['authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['"Authorization": "Token 0123456789abcdef"', '0123456789abcdef'],
    ['for Bearer CANARY2 at', 'CANARY2'],
    [`jwt ${jwt}`, 'dozjgNry'],
    [`cut ${jwt.slice(0, 40)}`, 'zdWIi'],
    ['sk-proj-abcdefghijklmnop', 'abcdefghijklmnop'],
    ['sk_live_abcdefghijklmnop', 'abcdefghijklmnop'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghij'],
    ['github_pat_11ABCDEFG0abcdefghij', 'abcdefghij'],
    ['xoxb-1234567890-abcdefghij', 'abcdefghij'],
    ['glpat-abcdefghij1234567890', 'abcdefghij'],
    ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'wJalrXUtn'],
    ['AIzaSyA-abcdefghijklmnopqrstuvwxyz', 'abcdefghij'],
    ['hooks.slack.com/services/T000/B000/XXXXXXXX', 'XXXXXXXX'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----', 'MIIEpA'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA cut', 'MIIEpA'],
    ['Set-Cookie: sid=CANARY4; Path=/', 'CANARY4'],
    ['cookie: a=b; session=CANARY4', 'CANARY4'],
    ['http://u:pw@up/x', 'u:pw'],
    ['postgres://admin:hunter2@db:5432/x', 'hunter2'],
    ['https://up/x?securityToken=tok_CANARY1&city=Oslo', 'tok_CANARY1'],
    ['https://up/x?X-Amz-Signature=abcdef&sig=CANARY', 'CANARY'],
    ['{"password": "hunter2"}', 'hunter2'],
    ["{'client_secret': 'hunter2'}", 'hunter2'],
    ['DB_PASSWORD=hunter2', 'hunter2'],
    ['api_key=hunter2', 'hunter2'],
    ['api-key: 9f8e7d6c5b4a', '9f8e7d6c5b4a'],
    ['bindpw=hunter2', 'hunter2'],
    ['{\\"password\\":\\"hunter2\\"}', 'hunter2'],
    ['refresh_token":"hunter2"', 'hunter2'],
    ['<Password>hunter2</Password>', 'hunter2'],
    ['<ns:ApiKey>hunter2</ns:ApiKey>', 'hunter2'],
    ['https://user:p@hunter2@host/x', 'hunter2'],
    ['postgres://user:pa/ss#hunter2@db/x', 'hunter2'],
    ['back=https%3A%2F%2Fx%2F%3Ftoken%3Dhunter2', 'hunter2'],
    ['Authorization: Digest username="u", response="9f8e7d6c5b4a"', '9f8e7d6c5b4a'],
    ['Command failed: curl -u user:hunter2 https://x', 'hunter2'],
    ['Command failed: deploy --api-token hunter2', 'hunter2'],
    ['Incorrect API key provided: 9f8e7d6c5b4a. See', '9f8e7d6c5b4a'],
    ['https://discord.com/api/webhooks/123456789/9f8e7d6c5b4a', '9f8e7d6c5b4a'],
    ['https://api.telegram.org/bot123456789:AAh9f8e7d6c5b4a9f8e7d6c5b4a9f8e7/send', '9f8e7d6c5b4a'],
    ['ATATT3xFfGF09f8e7d6c5b4a', '9f8e7d6c5b4a'],
    ['hvs.CAESI9f8e7d6c5b4a', '9f8e7d6c5b4a'],
    ['pypi-AgEI9f8e7d6c5b4a', '9f8e7d6c5b4a'],
    ['GOCSPX-9f8e7d6c5b4a', '9f8e7d6c5b4a'],
    ['key-0123456789abcdef0123456789abcdef', '0123456789abcdef'],
    ['sk_0123456789abcdef0123', '0123456789abcdef'],
    ['npm_0123456789abcdefABCD', '0123456789abcdef'],
  ])('%s', (text, mustGo) => {
    expect(text).toContain(mustGo);
    expect(scrubber.text(text)).not.toContain(mustGo);
  });

  it.each([
    'Unexpected token: <',
    'password: must be at least 8 characters',
    'The bearer of this message',
    'basic authentication required',
    'max_tokens: 4096 exceeds the limit',
    'risk-management-framework is not a task',
    'see https://example.com/docs?page=2#errors',
    'mail ann@example.com about it',
    'The cookie policy changed',
    'no such key in the map',
    'field "token" is required',
    'violates foreign key constraint "pk_customer_orders_2"',
    'npm_lifecycle_event is not set',
    'no task secret_santa_event_2024',
    'see https://example.com/errors?code=INVALID_REQUEST',
    'http://localhost:8080/@scope/name is taken',
    'the token is required by https://example.com',
    'ls --key-sort name',
  ])('ordinary text stays: %s', (text) => {
    expect(scrubber.text(text)).toBe(text);
  });

  it('stack frames go', () => {
    const js = 'TypeError: x\n    at f (/srv/app/a.js:1:2)\n    at async g (node:internal/x:1:1)';
    expect(scrubber.text(js)).toBe('TypeError: x');
    expect(scrubber.text('Traceback\n  File "/srv/a.py", line 3, in f\nValueError: x')).toBe(
      'Traceback ValueError: x',
    );
  });

  it.each([
    [
      'Java',
      '\n\tat com.acme.Pay.run(Pay.java:12)\n\tat java.base/java.lang.Thread.run(Native Method)',
    ],
    ['.NET', '\r\n   at Acme.Pay.<Run>d__5.MoveNext() in C:\\src\\Pay.cs:line 12'],
    ['an anonymous one', '\n    at new Promise (<anonymous>)\n    at async Promise.all (index 0)'],
    ['JavaScript in JSON', '\\n    at f (/srv/app/a.js:1:2)\\n    at file:///srv/b.js:3:4'],
    ['PHP', '\n#0 /srv/pay.php(12): run()\n#1 {main}'],
    ['Ruby', "\n\tfrom /srv/pay.rb:12:in `run'"],
    ['Go', '\n\t/srv/pay.go:12 +0x1d'],
  ])('stack frames go: %s', (_name, frames) => {
    expect(scrubber.text(`boom${frames}`)).toBe('boom');
  });

  it('stack frames go: what follows them in JSON stays', () => {
    expect(
      scrubber.text('{"stack":"x\\n    at f (/srv/a.js:1:2)\\n    at /srv/b.js:3:4","id":7}'),
    ).toBe('{"stack":"x","id":7}');
  });

  it.each([
    'rows are missing\nat least two are needed',
    'the store closed\nat 10:30:15',
    'ask again\nat the end (see below)',
    'one\n#2 is wrong',
    'two\nfrom here: all is well',
  ])('prose that begins a line like a frame stays: %s', (text) => {
    expect(scrubber.text(text)).toBe(text.replace('\n', ' '));
  });
});

describe('characters that are no text', () => {
  it('controls, bidi, zero-width, tags and lone surrogates go; breaks become spaces', () => {
    const text =
      'a\u0000b\u001b[31mc\u202ed\u2066e\u200bf\ufeffg\u{e0041}h\ud800i\r\n\tj\u2028k\u0085l\u00adm';
    expect(scrubber.text(text)).toBe('ab[31mcdefghi j k lm');
  });

  it('everything else stays', () => {
    expect(scrubber.text('Ærlig talt: 東京 😀 é')).toBe('Ærlig talt: 東京 😀 é');
  });
});

describe('the cap', () => {
  it('never halves a pair, and marks the cut', () => {
    for (const max of [2, 3, 4, 5, 6, 7]) {
      const out = scrubber.text('😀'.repeat(10), max);
      expect(out.length).toBeLessThanOrEqual(max);
      expect(out).toMatch(/^(?:😀)*…$/u);
    }
    expect(scrubber.text('abc', 3)).toBe('abc');
    expect(scrubber.text('abc', 0)).toBe('');
  });

  it('comes after scrubbing: a secret at the cut is not left as a half', () => {
    for (let before = 470; before <= 505; before++) {
      expect(scrubber.text(`${'x'.repeat(before)}${SECRET}`)).not.toContain('p@ss');
    }
  });

  it('nor one at the end of the span that is scrubbed, however much redaction shortens the text', () => {
    const long = 'CANARY-SECRET-OF-SOME-LENGTH-0123456789';
    const s = createScrubber([long]);
    for (let offset = 0; offset < 60; offset++) {
      const text = 'x'.repeat(offset) + `${long} `.repeat(3000);
      expect(s.text(text)).not.toMatch(/CANARY|0123/);
    }
    const keys = 'sk-abcdefghijklmnopqrstuvwxyz0123456789'.repeat(500);
    expect(scrubber.text(keys)).not.toContain('abcdef');
  });

  it('is that of each call, for the same text, too', () => {
    const text = 'z'.repeat(100);
    for (const max of [90, 60, 90, 200]) {
      expect(scrubber.text(text, max)).toHaveLength(Math.min(max, 100));
    }
  });

  it('is 500 unless told otherwise', () => {
    expect(scrubber.text('y'.repeat(9999))).toHaveLength(500);
    expect(scrubber.text('y'.repeat(9999), 9000)).toHaveLength(9000);
  });
});

describe('values', () => {
  it('every string, keys included', () => {
    const out = scrubber.value({ [SECRET]: [{ a: SECRET }], n: 1, b: true, z: null });
    expect(out).toEqual({ '[redacted]': [{ a: '[redacted]' }], n: 1, b: true, z: null });
  });

  it('a secret that travels as a number', () => {
    expect(createScrubber(['123456789']).value({ pin: 123456789, n: 5 })).toEqual({
      pin: '[redacted]',
      n: 5,
    });
  });

  it('become plain JSON: cycles, functions, symbols, bigint, NaN, dates, proxies, getters', () => {
    const cyclic: Record<string, unknown> = { a: 1 };
    cyclic['self'] = cyclic;
    const broken = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    const getter = {
      get x(): never {
        throw new Error('no');
      },
    };
    const out = scrubber.value({
      cyclic,
      f: () => 1,
      s: Symbol('x'),
      big: 5n,
      nan: Number.NaN,
      zero: -0,
      broken,
      getter,
      u: undefined,
      list: [undefined],
    });
    expect(out).toEqual({
      cyclic: { a: 1, self: '[circular]' },
      big: '5',
      nan: null,
      zero: 0,
      broken: '[unreadable]',
      getter: '[unreadable]',
      list: [null],
    });
    expect(() => JSON.stringify(out)).not.toThrow();
  });

  it('the same object twice is no cycle', () => {
    const shared = { a: 1 };
    expect(scrubber.value({ x: shared, y: shared })).toEqual({ x: { a: 1 }, y: { a: 1 } });
  });

  it('are bounded in nodes, depth and text', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 1000; i++) deep = { deep };
    const wide = { list: Array.from({ length: 100_000 }, () => 'x'), text: 'y'.repeat(1e6) };
    expect(JSON.stringify(scrubber.value({ deep, wide })).length).toBeLessThan(20_000);
  });

  it('never become a prototype', () => {
    const out = scrubber.value(JSON.parse('{"__proto__": {"polluted": 1}, "a": 1}'));
    expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
    expect(out).not.toHaveProperty('polluted');
  });
});

describe('for any secret and any text around it', () => {
  const secret = fc
    .string({ minLength: 6, maxLength: 40, unit: 'grapheme' })
    .filter((s) => s.trim().length >= 6);
  const noise = fc.string({ maxLength: 700, unit: 'binary' });
  const forms = fc.constantFrom<(s: string) => string>(
    (s) => s,
    (s) => Buffer.from(s).toString('base64'),
    (s) => Buffer.from(s).toString('base64url'),
    (s) => encodeURIComponent(s),
    (s) => JSON.stringify(s),
    (s) => Buffer.from(s).toString('hex'),
  );

  it('nothing of it is left, and nothing ever throws', () => {
    fc.assert(
      fc.property(secret, noise, noise, forms, (s, before, after, form) => {
        const traveller = form(s.trim());
        fc.pre(!'[redacted]'.includes(s.trim()) && !'[redacted]'.includes(traveller));
        const out = createScrubber([s]).text(`${before} ${traveller} ${after}`, 5000);
        expect(out).not.toContain(s.trim());
        expect(out).not.toContain(traveller);
      }),
      { numRuns: 300 },
    );
  });

  it('scrubbing twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(secret, { maxLength: 3 }), noise, (secrets, text) => {
        const s = createScrubber(secrets);
        const once = s.text(text, 5000);
        expect(s.text(once, 5000)).toBe(once);
      }),
      { numRuns: 200 },
    );
  });
});
