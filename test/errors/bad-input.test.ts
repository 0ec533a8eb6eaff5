// Whatever comes in, a valid ErrorInfo comes out: headers and bodies that lie, and values that were
// made to be thrown.
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/errors/classify.js';
import type { FailedOutcome, HeaderBag } from '../../src/errors/outcome.js';
import { coded, infoOf, mcpSubject, of, response, subject } from './helpers.js';
import { expectValid } from './valid-info.js';

const throwing = (): never => {
  throw new Error('no');
};

const hostile: readonly (readonly [name: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a string', 'boom'],
  ['an empty string', ''],
  ['a number', 7],
  ['NaN', Number.NaN],
  ['a bigint', 7n],
  ['a symbol', Symbol('x')],
  ['a function', () => 1],
  ['an empty object', {}],
  ['an object without prototype', Object.create(null)],
  ['an array', [1, [2]]],
  ['a frozen error', Object.freeze(new Error('x'))],
  ['a message that is no text', Object.assign(new Error('x'), { message: { a: 1 } })],
  ['a name that is no text', Object.assign(new Error('x'), { name: 5 })],
  ['a code that is no text', Object.assign(new Error('x'), { code: { a: 1 } })],
  ['errors that are no list', Object.assign(new Error('x'), { errors: 5 })],
  [
    'a getter that throws',
    Object.defineProperties(
      {},
      {
        message: { get: throwing },
        code: { get: throwing },
        cause: { get: throwing },
        name: { get: throwing },
      },
    ),
  ],
  [
    'a proxy that throws at everything',
    new Proxy(
      {},
      {
        get: throwing,
        has: throwing,
        getPrototypeOf: throwing,
        ownKeys: throwing,
        getOwnPropertyDescriptor: throwing,
      },
    ),
  ],
  [
    'a proxy that was revoked',
    ((): unknown => {
      const p = Proxy.revocable({}, {});
      p.revoke();
      return p.proxy;
    })(),
  ],
  [
    'a revoked list of errors',
    ((): unknown => {
      const p = Proxy.revocable([], {});
      p.revoke();
      return Object.assign(new Error('x'), { errors: p.proxy });
    })(),
  ],
  [
    'a proxy that is never done',
    new Proxy(
      {},
      {
        get: (_t, key) =>
          key === 'cause' ? new Proxy({}, {}) : key === 'errors' ? new Array(1e6).fill({}) : 'x',
      },
    ),
  ],
  [
    'a value whose text throws',
    { toString: throwing, valueOf: throwing, [Symbol.toPrimitive]: throwing },
  ],
  [
    'headers that never end',
    {
      status: 429,
      headers: {
        entries: function* () {
          for (;;) yield ['a', 'b'];
        },
      },
    },
  ],
  ['headers that throw', { status: 429, headers: { entries: throwing } }],
  [
    'a cycle',
    ((): unknown => {
      const e = new Error('x');
      e.cause = e;
      return e;
    })(),
  ],
  [
    'an AggregateError of itself',
    ((): unknown => {
      const e = new AggregateError([]);
      e.errors.push(e, e);
      return e;
    })(),
  ],
  ['an AggregateError of a million', new AggregateError(new Array(100_000).fill(new Error('x')))],
  ['a message of ten million characters', new Error('timeout '.repeat(1_250_000))],
  [
    'a prototype chain of a thousand',
    ((): unknown => {
      let o: object = {};
      for (let i = 0; i < 1000; i++) o = Object.create(o) as object;
      return o;
    })(),
  ],
];

describe('thrown values', () => {
  it.each(hostile)('%s', (_name, error) => {
    for (const outcome of [
      { kind: 'thrown', error },
      { kind: 'transport', error, phase: 'awaiting_headers' },
      { kind: 'mcp-connection', problem: 'connect_failed', error },
    ] as const) {
      const rules = [
        { when: { type: 'X', text: 'y' }, then: { permanent: 'z' } },
        { when: { transport: 'connection' }, then: { permanent: 'z' } },
      ];
      expectValid(of(outcome, { rules }));
      expectValid(classify(outcome, mcpSubject(), false));
    }
  });

  it('a code that is reached through all of it', () => {
    const error = new AggregateError([
      null,
      'x',
      new Error('y', { cause: new AggregateError([coded('ECONNREFUSED')]) }),
    ]);
    expect(infoOf({ kind: 'transport', error, phase: 'connecting' }).code).toBe(
      'TOOL_CONNECTION_FAILED',
    );
  });
});

describe('headers', () => {
  // prettier-ignore
  const HEADERS: readonly HeaderBag[] = [
    { 'retry-after': ['1', 'x', ''] }, { 'retry-after': [] }, { 'retry-after': 'é'.repeat(100_000) }, { 'retry-after': '9'.repeat(100_000) },
    { 'retry-after': ','.repeat(10_000) }, { date: 'x', 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT' }, { date: ['a', 'b'] },
    { ratelimit: '"'.repeat(10_000) }, { ratelimit: ';r=0;t='.repeat(5000) }, { 'x-ratelimit-remaining': ['0', '5'], 'x-ratelimit-reset': ['', '5'] },
    { 'content-type': '\u0000' }, { 'content-type': [] }, { 'x-amzn-errortype': '#'.repeat(10_000) }, { 'x-amzn-errortype': ':' },
    { 'x-should-retry': [] }, { server: [] }, { 'www-authenticate': ['', 'x'] }, JSON.parse('{"__proto__": "x", "constructor": "y"}') as HeaderBag,
  ];
  it.each(HEADERS.map((h, i) => [i, h] as const))('set %i', (_i, headers) => {
    for (const status of [200, 400, 403, 409, 429, 503, 521])
      expectValid(of(response(status, headers), {}, true));
  });
});

describe('bodies', () => {
  // prettier-ignore
  const BODIES: readonly string[] = [
    '{"error": 5}', '{"error": {}}', '{"error": {"code": {}, "message": []}}', '{"error": {"code": null, "type": 5, "message": null}}',
    '{"error": {"details": 5}}', '{"error": {"details": [null, 5, {"@type": 5}]}}', '{"code": {}}', '{"code": 1e400}', '{"errors": {}}', '{"errors": [null]}',
    '{"errors": [[[]]]}', '[]', '[null]', '[[{"error":{}}]]', '"text"', '""', 'null', 'true', '5', '{', '[1,', '\ufeff{"error":{"code":"x"}}', '\u0000', ' '.repeat(60_000),
    '{"message": "\\ud800"}', '{"message": ""}', '{"message": "   "}', '{"__proto__": {"error": {"code": "insufficient_quota"}}}',
    '{"error_info": 5}', '{"error_info": {"code": "constructor"}}', '<'.repeat(60_000), '<Code>'.repeat(9000), '['.repeat(60_000), '{"a":'.repeat(10_000),
    JSON.stringify({ message: 'x'.repeat(60_000) }), JSON.stringify({ code: 'y'.repeat(60_000) }), JSON.stringify({ code: `a\u202eb` }),
    'eyJ'.repeat(20_000), 'Bearer '.repeat(9000), '?a=&'.repeat(15_000), 'password'.repeat(8000), 'a-'.repeat(30_000), '://'.repeat(20_000), '-----BEGIN '.repeat(5000),
  ];
  it.each(BODIES.map((b) => [b.slice(0, 50), b] as const))('%j', (_name, body) => {
    for (const type of [
      'application/json',
      'text/html',
      'text/plain',
      'application/problem+json',
      'image/png',
    ]) {
      for (const status of [200, 400, 429, 500]) {
        expectValid(
          of(response(status, { 'content-type': type }, body), { secrets: ['hunter2hunter2'] }),
        );
      }
    }
  });

  it('that were cut are not taken for whole ones', () => {
    const outcome: FailedOutcome = {
      kind: 'response',
      status: 429,
      headers: {},
      body: '{"error":{"code":"insufficient_quota"}}',
      bodyTruncated: true,
    };
    expect(infoOf(outcome).code).toBe('TOOL_RATE_LIMITED');
  });

  it('do not lend inherited names', () => {
    expect(
      infoOf(response(429, {}, '{"__proto__": {"error": {"code": "insufficient_quota"}}}')).code,
    ).toBe('TOOL_RATE_LIMITED');
  });
});

describe('a subject that fails', () => {
  it('still gives a valid verdict', () => {
    const broken = { ...subject(), scrubber: { text: throwing, value: throwing } };
    expectValid(classify(response(500, {}, 'text'), broken, false));
  });
});
