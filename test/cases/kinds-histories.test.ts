// Several attempts at one call that moves money: what the last one says, and what may have happened in
// an earlier one. "Completed" and "not sent" are said only where they are true of the whole call.
import {
  answer,
  fails,
  POST3,
  reset,
  type Row,
  row,
  runRows,
  type Step,
  type ToolConfig,
} from './table.js';

const KEYED: ToolConfig = { ...POST3, idempotency: { header: 'Idempotency-Key' } };
const soon = answer(429, { 'retry-after': '0' });

/** With a key, so that it may be tried again after a first attempt of which nothing is known. */
const then = (name: string, script: readonly Step[], expected: Row['expected']): Row =>
  row(
    name,
    KEYED,
    script,
    { requests: script.length, ...expected },
    { call: { idempotency_key: 'k' } },
  );

runRows({
  'nothing is known of the first': [
    then('reset, then 401', [reset, answer(401)], fails('UPSTREAM_AUTH_FAILED', false, 'unknown')),
    then(
      '502, then 403',
      [answer(502), answer(403)],
      fails('UPSTREAM_FORBIDDEN', false, 'unknown'),
    ),
    then(
      '503, then out of money',
      [answer(503), answer(429, {}, { error: { code: 'insufficient_quota' } })],
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'unknown'),
    ),
    then(
      '502, then a captive portal',
      [answer(502), answer(511)],
      fails('CONFIGURATION_ERROR', false, 'unknown'),
    ),
    then(
      '504, then 405',
      [answer(504), answer(405)],
      fails('CONFIGURATION_ERROR', false, 'unknown'),
    ),
    then(
      'reset, then a limit',
      [reset, answer(429, { 'retry-after': '60' })],
      fails('TOOL_RATE_LIMITED', true, 'unknown', { retry: 60_000 }),
    ),
    then(
      '502, then too early twice',
      [answer(502), answer(425), answer(425)],
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    then(
      '502, then what was wrong with the request',
      [answer(502), answer(422)],
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    then(
      '502, then a card that is declined',
      [answer(502), answer(402, {}, { error: { code: 'card_declined' } })],
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
    row(
      '502, and its breaker opens before the second',
      { ...KEYED, breaker: { min_calls: 1, failure_rate: 1, open_ms: 60_000 } },
      answer(502),
      fails('TOOL_CIRCUIT_OPEN', true, 'unknown', { retry: [1, 60_000] }),
      { call: { idempotency_key: 'k' } },
    ),
  ],

  'the first was refused before it ran': [
    row(
      '429, then 401',
      POST3,
      [soon, answer(401)],
      fails('UPSTREAM_AUTH_FAILED', false, 'completed', { requests: 2 }),
    ),
    row(
      '429, then 403',
      POST3,
      [soon, answer(403)],
      fails('UPSTREAM_FORBIDDEN', false, 'completed', { requests: 2 }),
    ),
    row(
      '429, then a reset',
      POST3,
      [soon, reset],
      fails('TOOL_TRANSPORT_ERROR', false, 'unknown', { requests: 2 }),
    ),
    row(
      '425, then 500',
      POST3,
      [answer(425), answer(500)],
      fails('UPSTREAM_SERVER_ERROR', false, 'unknown', { requests: 2 }),
    ),
    row(
      '429, then a captive portal',
      POST3,
      [soon, answer(511)],
      fails('CONFIGURATION_ERROR', false, 'not_sent', { requests: 2 }),
    ),
  ],
});
