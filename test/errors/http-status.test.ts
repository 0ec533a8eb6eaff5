// The table of taxonomy.md "HTTP status", copied once more by hand: whoever changes one changes both.
import { describe, expect, it } from 'vitest';
import { statusRow } from '../../src/errors/http-status.js';
import { line, of, response } from './helpers.js';

// prettier-ignore
const PAGE: readonly (readonly [statuses: readonly number[], line: string, hint?: 'H'])[] = [
  [[300, 301, 302, 303, 304, 307, 308],           'UPSTREAM_REJECTED | no | completed | S'],
  [[400, 411, 413, 414, 415, 416, 417, 422, 431], 'UPSTREAM_INVALID_REQUEST | no | completed | S'],
  [[401, 407],                                    'UPSTREAM_AUTH_FAILED | no | completed | N'],
  [[402],                                         'UPSTREAM_REJECTED | no | completed | S'],
  [[403],                                         'UPSTREAM_FORBIDDEN | no | completed | N'],
  [[404, 410],                                    'UPSTREAM_REJECTED | no | completed | S'],
  [[406, 426, 428],                               'UPSTREAM_REJECTED | no | completed | N'],
  [[405, 501, 505, 506, 510],                     'CONFIGURATION_ERROR | no | completed | N'],
  [[408],                                         'TOOL_TIMEOUT | yes | unknown | F', 'H'],
  [[409, 412, 423, 424],                          'UPSTREAM_REJECTED | no | completed | S'],
  [[418, 451, 420, 430, 440, 450, 494, 498],      'UPSTREAM_REJECTED | no | completed | S'],
  [[421],                                         'UPSTREAM_REJECTED | yes | not_sent | N'],
  [[425],                                         'UPSTREAM_UNAVAILABLE | yes | not_sent | N', 'H'],
  [[429],                                         'TOOL_RATE_LIMITED | yes | completed | N', 'H'],
  [[444, 499],                                    'TOOL_TRANSPORT_ERROR | yes | unknown | F'],
  [[500, 509, 527, 531, 561, 597],                'UPSTREAM_SERVER_ERROR | yes | unknown | F', 'H'],
  [[502, 520, 522],                               'UPSTREAM_UNAVAILABLE | yes | unknown | F', 'H'],
  [[503, 529, 530],                               'UPSTREAM_UNAVAILABLE | yes | unknown | F', 'H'],
  [[504, 524, 598, 599],                          'TOOL_TIMEOUT | yes | unknown | F', 'H'],
  [[507, 508],                                    'UPSTREAM_REJECTED | no | unknown | F'],
  [[511],                                         'CONFIGURATION_ERROR | no | not_sent | F'],
  [[521, 523, 525],                               'UPSTREAM_UNAVAILABLE | yes | unknown | F', 'H'],
  [[526],                                         'CONFIGURATION_ERROR | no | not_sent | N'],
];

const CASES = PAGE.flatMap(([statuses, row, hint]) =>
  statuses.map((status) => ({ status, row, hint: hint === 'H' })),
);

describe('HTTP status by itself', () => {
  it.each(CASES)('$status is $row', ({ status, row }) => {
    const classification = of(response(status));
    expect(line(classification)).toBe(row);
    expect(classification.info.details).toMatchObject({
      upstream_status: status,
      classified_by: 'status',
    });
    expect(classification.info.message).toContain(String(status));
  });

  it.each(CASES)('$status reads a wait: $hint', ({ status, hint }) => {
    // A 403 with Retry-After is another row.
    if (status === 403) return;
    const { info } = of(response(status, { 'retry-after': '7' }));
    expect(info.retry_after_ms).toBe(hint ? 7000 : null);
  });

  it('names every status of 300..599 by exactly one row', () => {
    for (let status = 300; status < 600; status++) {
      const listed = CASES.filter((c) => c.status === status);
      expect(listed.length).toBeLessThanOrEqual(1);
      expect(statusRow(status).code).not.toBe('UNMAPPED_FAILURE');
    }
  });

  it.each([0, 100, 199, 600, 999, -1, Number.NaN, 1e9])('%s is no status: unmapped', (status) => {
    expect(line(of({ kind: 'response', status, headers: {}, body: '' }))).toBe(
      'UNMAPPED_FAILURE | no | unknown | N',
    );
  });

  it('marks what was refused before execution, what may be tried once, what closes the gate', () => {
    const flags = (status: number): readonly boolean[] => {
      const c = of(response(status, { 'retry-after': '2' }), { idempotent: false });
      return [c.refusedBeforeExecution, c.onceOnly, c.cooldownMs === 2000, c.info.retryable];
    };
    expect(flags(421)).toEqual([true, true, false, true]);
    expect(flags(425)).toEqual([true, false, false, true]);
    expect(flags(429)).toEqual([true, false, true, true]);
    expect(flags(503)).toEqual([false, false, true, false]);
    expect(flags(529)).toEqual([false, false, true, false]);
    expect(flags(500)).toEqual([false, false, false, false]);
    expect(flags(502)).toEqual([false, false, false, false]);
  });

  it.each([408, 429, 500, 502, 503, 504])('%s without a hint leaves the wait open', (status) => {
    const { info, cooldownMs } = of(response(status));
    expect([info.retry_after_ms, cooldownMs]).toEqual([null, null]);
  });

  it.each([408, 500, 502, 503, 504])('%s: retryable only where repeating is safe', (status) => {
    expect(of(response(status), { idempotent: false }).info.retryable).toBe(false);
    expect(of(response(status), { idempotent: true }).info.retryable).toBe(true);
    expect(of(response(status), { idempotent: false }, true).info.retryable).toBe(true);
  });
});
