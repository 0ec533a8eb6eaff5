// Whatever is wrong, and however the file is written: each fault stands where it is reported.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { faultsOf, show } from './marked.js';

const VALID = {
  version: 1,
  server: { max_batch: 10, egress: { deny: ['10.0.0.0/8'], allow: [] }, trust_proxy: ['10.0.0.1'] },
  clients: [
    {
      id: 'c',
      key_sha256: 'ab'.repeat(32),
      tools: ['*', '!x'],
      rate_limit: { calls: 5, per_ms: 10 },
    },
  ],
  defaults: {
    timeout_ms: 5,
    retry: { max_attempts: 2, base_ms: 5 },
    breaker: { min_calls: 2, failure_rate: 0.5 },
    trust_503: true,
  },
  tools: [
    {
      name: 'a',
      description:
        'Text: with "signs", #marks and a long line that a writer may want to fold somewhere, if it is let to.',
      read_only: true,
      input_schema: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
      http: {
        method: 'GET',
        url: 'http://x/{city}',
        headers: { 'x-a': 'b' },
        query: { q: '{city}' },
      },
      bulkhead: { max_concurrent: 1 },
      cache: { ttl_ms: 5, per_client: false },
      errors: [
        {
          when: { status: [500, '4xx'], is_error: true },
          then: { transient: 'x', retry_after_ms: 5 },
        },
      ],
    },
    {
      name: 'b',
      idempotent: true,
      http: { url: 'http://y/', method: 'POST', body: { a: 1 } },
      result: { max_bytes: 5 },
    },
  ],
  mcp_servers: [
    { name: 'm', url: 'http://z/', trusted: true, required: false, idle_timeout_ms: 5 },
  ],
};

type Path = readonly (string | number)[];

/** Where a value can be made wrong: numbers, truth values and objects of the schema (not of the author). */
const FREE = ['input_schema', 'headers', 'query', 'body'];
function placesOf(value: unknown, path: Path = []): { values: Path[]; objects: Path[] } {
  const found = { values: [] as Path[], objects: [] as Path[] };
  if (typeof value === 'number' || typeof value === 'boolean') found.values.push(path);
  if (typeof value !== 'object' || value === null) return found;
  if (!Array.isArray(value)) found.objects.push(path);
  for (const [key, member] of Object.entries(value)) {
    if (FREE.includes(key)) continue;
    const inner = placesOf(member, [...path, Array.isArray(value) ? Number(key) : key]);
    found.values.push(...inner.values);
    found.objects.push(...inner.objects);
  }
  return found;
}
const PLACES = placesOf(VALID);

const at = (root: unknown, path: Path) =>
  path.reduce((value, key) => (value as Record<string, unknown>)[key], root) as Record<
    string,
    unknown
  >;

/** A document with marks in it: keys that nobody knows, texts where none may stand. */
const broken = fc
  .record({
    keys: fc.uniqueArray(fc.constantFrom(...PLACES.objects), { maxLength: 4 }),
    values: fc.uniqueArray(fc.constantFrom(...PLACES.values), { maxLength: 4 }),
  })
  .map(({ keys, values }) => {
    const document: unknown = structuredClone(VALID);
    const marks: string[] = [];
    const mark = () => {
      marks.push(`zzmark${marks.length}z`);
      return marks.at(-1)!;
    };
    for (const path of values) at(document, path.slice(0, -1))[path.at(-1)!] = mark();
    for (const path of keys) at(document, path)[mark()] = 1;
    return { document, marks };
  });

/** Ways to write it down. */
const writer = fc
  .record({
    form: fc.constantFrom('block', 'flow', 'json', 'json-tabs', 'json-line'),
    indent: fc.integer({ min: 1, max: 7 }),
    quotes: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
    lineWidth: fc.constantFrom(0, 40, 80),
    crlf: fc.boolean(),
    mark: fc.boolean(),
    before: fc.constantFrom('', '# a comment — with ünïcode 😀\n\n', '---\n'),
  })
  .map((style) => (document: unknown): string => {
    const write = (): string => {
      switch (style.form) {
        case 'json':
          return JSON.stringify(document, null, style.indent);
        case 'json-tabs':
          return JSON.stringify(document, null, '\t');
        case 'json-line':
          return JSON.stringify(document);
        default:
          return stringify(document, {
            indent: style.indent,
            collectionStyle: style.form,
            defaultStringType: style.quotes as 'PLAIN',
            defaultKeyType: 'PLAIN',
            lineWidth: style.lineWidth,
            aliasDuplicateObjects: false,
          });
      }
    };
    const text = style.before + write();
    return (style.mark ? '\ufeff' : '') + (style.crlf ? text.replaceAll('\n', '\r\n') : text);
  });

test('the document is valid in every way of writing it', () => {
  fc.assert(
    fc.property(writer, (write) => {
      expect(show(faultsOf(write(VALID)))).toBe('');
    }),
    { numRuns: 60 },
  );
});

test('every mark is a fault at its own line and column, and there are no others', () => {
  fc.assert(
    fc.property(broken, writer, ({ document, marks }, write) => {
      const text = write(document);
      const lines = text.replace('\ufeff', '').split(/\r?\n/);
      const faults = faultsOf(text);
      // A broken method or status can break what depends on it: only marks that are there count.
      const expected = marks
        .map((mark) => {
          const line = lines.findIndex((candidate) => candidate.includes(mark));
          const column = lines[line]!.indexOf(mark);
          const quoted = /["']/.test(lines[line]![column - 1] ?? '');
          return `${line + 1}:${quoted ? column : column + 1}`;
        })
        .sort();
      expect(faults.map(({ line, column }) => `${line}:${column}`).sort()).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('any text at all: faults with a place inside it, in order, or a configuration', () => {
  const piece = fc.constantFrom(
    ...'version: 1\n,tools:,- name: a,\n,  ,{,},[,],:, ,",\',&a,*a,<<: ,!!x,? ,| ,> ,# c,%YAML 1.2,---,...,\t,${A},$${,\u0000,\ufeff,é,http: {url: "http://x/"},version'.split(
      ',',
    ),
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  fc.assert(
    fc.property(text, (source) => {
      const faults = faultsOf(source);
      const lines = source.replace(/^\ufeff/, '').split('\n');
      let before = [0, 0];
      for (const { line, column, message } of faults) {
        expect(message).not.toBe('');
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
        expect(line > before[0]! || (line === before[0]! && column >= before[1]!)).toBe(true);
        before = [line, column];
      }
    }),
    // The YAML lexer does not tell of the line break behind such an alias.
    { numRuns: 1000, examples: [['*aversion: 1\nhttp: {url: "http://x/"}version: 1\n']] },
  );
});
