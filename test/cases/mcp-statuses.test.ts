// Statuses with which an MCP server answers a call, and what it says of its tools, through the whole
// product: what may be repeated follows from both.
import {
  content,
  type McpRow,
  READS,
  result,
  row,
  runMcpRows,
  says,
  status,
  WRITES,
} from './mcp-table.js';
import { type Effect, fails, succeeds, type Verdict } from './table.js';

type Line = readonly [
  status: number,
  code: string,
  transient: boolean,
  effect: Effect,
  breaker: Verdict,
];

const TABLE: readonly Line[] = [
  [302, 'UPSTREAM_REJECTED', false, 'completed', 'success'],
  [400, 'UPSTREAM_INVALID_REQUEST', false, 'completed', 'success'],
  [401, 'UPSTREAM_AUTH_FAILED', false, 'not_sent', 'neutral'],
  [403, 'UPSTREAM_FORBIDDEN', false, 'completed', 'neutral'],
  [404, 'UPSTREAM_REJECTED', false, 'completed', 'success'],
  [405, 'CONFIGURATION_ERROR', false, 'completed', 'neutral'],
  [406, 'UPSTREAM_REJECTED', false, 'completed', 'neutral'],
  [407, 'UPSTREAM_AUTH_FAILED', false, 'not_sent', 'neutral'],
  [408, 'MCP_TIMEOUT', true, 'unknown', 'failure'],
  [413, 'UPSTREAM_INVALID_REQUEST', false, 'completed', 'success'],
  [415, 'UPSTREAM_INVALID_REQUEST', false, 'completed', 'success'],
  [499, 'MCP_TRANSPORT_ERROR', true, 'unknown', 'failure'],
  [500, 'MCP_SERVER_ERROR', true, 'unknown', 'failure'],
  [502, 'UPSTREAM_UNAVAILABLE', true, 'unknown', 'failure'],
  [503, 'UPSTREAM_UNAVAILABLE', true, 'unknown', 'failure'],
  [504, 'MCP_TIMEOUT', true, 'unknown', 'failure'],
  [524, 'MCP_TIMEOUT', true, 'unknown', 'failure'],
  [529, 'UPSTREAM_UNAVAILABLE', true, 'unknown', 'failure'],
];

const byTable: McpRow[] = TABLE.flatMap(([code, name, transient, effect, breaker]) => [
  row(
    `${code}, writes`,
    WRITES,
    status(code),
    fails(name, false, effect, { breaker, details: { transient } }),
  ),
  row(
    `${code}, reads`,
    READS,
    status(code),
    fails(name, transient, effect, { requests: transient ? 3 : 1 }),
  ),
]);

runMcpRows({
  'statuses of the transport': byTable,

  'statuses and what comes with them': [
    row(
      '429 with Retry-After, writes: it refused before it ran',
      WRITES,
      status(429, { 'retry-after': '30' }),
      fails('TOOL_RATE_LIMITED', true, 'completed', {
        retry: 30_000,
        breaker: 'neutral',
        details: {
          retry_after_source: 'retry-after',
          upstream_status: 429,
          retry_stopped_by: 'retry_after_exceeds_deadline',
        },
      }),
    ),
    row(
      '429 and then an answer, writes',
      WRITES,
      [status(429, { 'retry-after': '0' }), says('ok')],
      succeeds(content('ok'), { requests: 2 }),
    ),
    row(
      '429 out of money',
      WRITES,
      status(429, {}, { error: { code: 'insufficient_quota' } }),
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', { breaker: 'neutral' }),
    ),
    row(
      '403 with nothing left',
      WRITES,
      status(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '59' }),
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 59_000, breaker: 'neutral' }),
    ),
    row(
      '403 insufficient_scope',
      READS,
      status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"' }),
      fails('UPSTREAM_AUTH_FAILED', false, 'not_sent', { breaker: 'neutral' }),
    ),
    row(
      '401 with a challenge',
      READS,
      status(401, {
        'www-authenticate':
          'Bearer error="invalid_token", resource_metadata="https://x.example/.well-known"',
      }),
      fails('UPSTREAM_AUTH_FAILED', false, 'not_sent'),
    ),
    row(
      '503 with Retry-After, writes',
      WRITES,
      status(503, { 'retry-after': '9' }),
      fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { retry: 9000, breaker: 'failure' }),
    ),
    row(
      '500 with a JSON-RPC error of arguments: the status counts',
      WRITES,
      status(500, {}, { jsonrpc: '2.0', id: null, error: { code: -32602, message: 'x' } }),
      fails('MCP_SERVER_ERROR', false, 'unknown', { breaker: 'failure' }),
    ),
    row(
      '400 with a JSON-RPC error',
      WRITES,
      status(400, {}, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } }),
      fails('MCP_SERVER_ERROR', false, 'completed', { breaker: 'success' }),
    ),
    row(
      '404 with -32601',
      WRITES,
      status(404, {}, { jsonrpc: '2.0', id: null, error: { code: -32601, message: 'x' } }),
      fails('CONFIGURATION_ERROR', false, 'completed', { breaker: 'neutral' }),
    ),
    row(
      '502 page of a proxy',
      READS,
      [status(502, { 'content-type': 'text/html' }, '<html>timeout 429</html>'), says('ok')],
      succeeds(content('ok'), { requests: 2 }),
    ),
    row(
      '425 too early, writes',
      WRITES,
      [status(425), says('ok')],
      succeeds(content('ok'), { requests: 2 }),
    ),
    row(
      '202 accepted and nothing more',
      WRITES,
      status(202),
      fails('MCP_TRANSPORT_ERROR', false, 'unknown', {
        breaker: 'failure',
        details: { transient: true },
      }),
    ),
    row('204', READS, status(204), fails('MCP_TRANSPORT_ERROR', true, 'unknown', { requests: 3 })),
  ],

  'what a server says of its tools, and whether it is trusted': [
    row(
      'readOnlyHint of a trusted one',
      READS,
      status(502),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { requests: 3 }),
    ),
    row(
      'idempotentHint of a trusted one',
      { trusted: true, annotations: { readOnlyHint: false, idempotentHint: true } },
      status(502),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { requests: 3 }),
    ),
    row(
      'destructive, but idempotent: deleting twice deletes once',
      { trusted: true, annotations: { destructiveHint: true, idempotentHint: true } },
      status(502),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown', { requests: 3 }),
    ),
    ...(
      [
        ['readOnlyHint of one that is not trusted', { annotations: { readOnlyHint: true } }],
        ['idempotentHint of one that is not trusted', { annotations: { idempotentHint: true } }],
        [
          'destructiveHint: false of a trusted one',
          { trusted: true, annotations: { destructiveHint: false } },
        ],
        [
          'destructiveHint of a trusted one',
          { trusted: true, annotations: { destructiveHint: true } },
        ],
        [
          'openWorldHint of a trusted one',
          { trusted: true, annotations: { openWorldHint: false } },
        ],
        ['readOnlyHint that is a text', { trusted: true, annotations: { readOnlyHint: 'true' } }],
        ['a title that says so', { trusted: true, annotations: { title: 'read only' } }],
        ['nothing, of a trusted one', { trusted: true }],
      ] as const
    ).map(([name, tool]) =>
      row(
        name,
        tool,
        status(502),
        fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { details: { transient: true } }),
      ),
    ),
    row(
      'arguments against its schema: never sent',
      {
        inputSchema: {
          type: 'object',
          required: ['amount'],
          properties: { amount: { type: 'number' } },
        },
      },
      result({}),
      fails('TOOL_ARGUMENT_ERROR', false, 'not_sent', {
        requests: 0,
        details: { validation_type: 'arguments' },
      }),
      { amount: '12' },
    ),
  ],
});
