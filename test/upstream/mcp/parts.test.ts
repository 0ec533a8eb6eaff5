// The small parts, where an edge is easier to reach alone.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventMeter } from '../../../src/upstream/mcp/event-meter.js';
import { LineReader, type OversizedLine } from '../../../src/upstream/mcp/line-reader.js';
import {
  buildParamHeaders,
  paramHeaderFault,
  paramHeaders,
} from '../../../src/upstream/mcp/param-headers.js';
import { isSessionLost } from '../../../src/upstream/mcp/session.js';
import { StderrRing } from '../../../src/upstream/mcp/stderr-ring.js';

function cuts(bytes: Buffer, at: readonly number[]): Buffer[] {
  const edges = [0, ...at.map((one) => one % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  );
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

describe('LineReader', () => {
  it('finds the same lines however the bytes are cut, and never holds more than its limit', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'å', '"', '{'), maxLength: 40 });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, at) => {
        const seen: string[] = [];
        const oversized: OversizedLine[] = [];
        const reader = new LineReader(() => 20, {
          line: (text) => seen.push(text),
          oversized: (one) => oversized.push(one),
        });
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        for (const chunk of cuts(bytes, at)) reader.push(chunk);
        const size = (one: string): number => Buffer.byteLength(one);
        expect(seen).toEqual(lines.filter((one) => one !== '' && size(one) <= 20));
        expect(oversized.map((one) => one.bytes)).toEqual(lines.map(size).filter((n) => n > 20));
      }),
    );
  });

  it('keeps both ends of a line that it skips', () => {
    const oversized: OversizedLine[] = [];
    const reader = new LineReader(() => 1_000, {
      line: () => undefined,
      oversized: (one) => oversized.push(one),
    });
    const body = `{"head":1${'x'.repeat(5_000)}"id":7}`;
    for (const chunk of cuts(Buffer.from(`${body}\n`), [999, 2_000, 4_900, 5_010]))
      reader.push(chunk);
    expect(oversized[0]?.head.startsWith('{"head":1')).toBe(true);
    expect(oversized[0]?.tail.endsWith('"id":7}')).toBe(true);
  });
});

describe('EventMeter', () => {
  it('measures the largest event however the bytes are cut', () => {
    const event = fc.string({ unit: fc.constantFrom('d', 'a', ':'), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1 }),
        fc.constantFrom('\n\n', '\n\r\n'),
        fc.array(fc.nat()),
        (events, end, at) => {
          const meter = new EventMeter();
          const bytes = Buffer.from(events.map((one) => one + end).join(''));
          const largest = Math.max(...cuts(bytes, at).map((chunk) => meter.add(chunk)));
          const expected = Math.max(...events.map((one) => one.length));
          expect(largest).toBeGreaterThanOrEqual(expected);
          expect(largest).toBeLessThanOrEqual(bytes.length);
          if (end === '\n\n') expect(largest).toBeLessThanOrEqual(expected + 2);
        },
      ),
    );
  });
});

describe('StderrRing', () => {
  it('keeps a bounded end, and scrubs before it cuts', () => {
    const ring = new StderrRing();
    for (let index = 0; index < 100; index += 1) ring.push(Buffer.from('noise '.repeat(500)));
    ring.push(Buffer.from(`secret${'z'.repeat(2_044)}`));
    const tail = ring.tail((text) => text.replaceAll('secret', '***'));
    expect(tail).toHaveLength(2_048);
    expect(tail).toContain('***z');
    expect(tail).not.toContain('ret');
  });
});

describe('isSessionLost', () => {
  const reply = (status: number, body: string) =>
    ({ kind: 'http', status, headers: {}, body, truncated: false }) as const;
  it.each([
    [404, '', true],
    [404, 'Not Found', true],
    [404, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}', false],
    [
      404,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
      true,
    ],
    [400, 'Bad Request: No valid session ID provided', true],
    [400, 'Bad Request: Server not initialized', true],
    [400, 'Session abc has expired', true],
    [400, 'bad arguments', false],
    [500, 'Session not found', false],
  ])('%i %s', (status, body, expected) => {
    expect(isSessionLost(reply(status, body), true)).toBe(expected);
    expect(isSessionLost(reply(status, body), false)).toBe(false);
  });
});

describe('marked arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      nested: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      free: { type: 'string' },
    },
  };

  it('become headers, encoded where they must be', () => {
    const marked = paramHeaders(schema);
    expect(paramHeaderFault(schema)).toBeUndefined();
    expect(
      buildParamHeaders(marked, { region: 'eu', nested: { n: 3 }, dry: false, free: 'x' }),
    ).toEqual({
      'mcp-param-region': 'eu',
      'mcp-param-n': '3',
      'mcp-param-dry': 'false',
    });
    expect(buildParamHeaders(marked, { region: 'Åre', nested: null })).toEqual({
      'mcp-param-region': `=?base64?${Buffer.from('Åre').toString('base64')}?=`,
    });
    expect(buildParamHeaders(marked, { region: ' x\r\ny' })['mcp-param-region']).toMatch(
      /^=\?base64\?/,
    );
    expect(buildParamHeaders(marked, { region: { evil: 1 } })).toEqual({});
  });

  it.each([
    [{ 'x-mcp-header': 'A' }],
    [{ properties: { a: { type: 'string', 'x-mcp-header': 'no good' } } }],
    [{ properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }],
    [
      {
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      },
    ],
  ])('are refused where they are marked wrongly: %j', (faulty) => {
    expect(paramHeaderFault(faulty)).toMatch(/x-mcp-header/);
  });
});
