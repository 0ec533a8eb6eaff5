// Errors that MCP tools report themselves (`isError`), through the whole product: C10 and C07 of the
// case file and more of their kind. Prose counts only where a call may be repeated.
import {
  content,
  failed,
  type McpRow,
  READS,
  result,
  row,
  runMcpRows,
  says,
  sse,
  WRITES,
} from './mcp-table.js';
import { type Expected, fails, succeeds } from './table.js';

const ID = { type: 'object', required: ['id'], properties: { id: { type: 'number' } } };
const TICKET = { outputSchema: ID };
const framed = (id: unknown, value: unknown): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: value })}\n\n`;

const reported = (more: object = {}): Expected =>
  fails('TOOL_EXECUTION_FAILED', false, 'completed', {
    breaker: 'success',
    details: { transient: false, classified_by: 'mcp' },
    ...more,
  });

/** Whatever it says: of a tool that may not be repeated prose is never more than prose. */
const saidByWriter = (text: string): McpRow => row(text, WRITES, failed(text), reported());
const saidByReader = (text: string): McpRow => row(text, READS, failed(text), reported());

/** Prose that says of a tool which may be repeated that its trouble passes. */
const passing = (code: string, text: string): McpRow =>
  row(
    text,
    READS,
    failed(text),
    fails(code, true, 'completed', {
      requests: 3,
      breaker: 'success',
      details: { transient: true, classified_by: 'text', retry_stopped_by: 'max_attempts' },
    }),
  );

const SPOKEN = {
  code: 'TOOL_RATE_LIMITED',
  category: 'rate_limit',
  message: 'Fair use is 10 a minute.',
  retryable: true,
  retry_after_ms: 1500,
  effect: 'completed',
};

runMcpRows({
  'isError of a tool that may not be repeated (C10)': [
    'no such file',
    'Rate limit exceeded, retry in 30 seconds',
    'HTTP 429 Too Many Requests',
    '503 Service Unavailable',
    'Request timed out after 30000 ms',
    'Authentication required: token expired (401)',
    'Forbidden: you do not own this record',
    'Not found: issue 404',
    'Invalid arguments: amount must be positive',
    'MCP error -32602: Tool charge_card not found',
    'ECONNRESET while talking to the bank',
    'Temporarily unavailable, please try again',
    'Error: 500 Internal Server Error',
  ].map(saidByWriter),

  'isError of a tool that may be repeated, and that is no passing trouble (C07)': [
    'timeout column is required; 429 rows',
    'there are 503 rows in table rate_limits',
    'req_429abc crashed at handler.mjs:429:15',
    'id 14293 does not exist',
    'the timeout must be a number',
    'unknown field "timeout_ms"',
    'Invalid value for rate limit: 0',
    'no match for query "too many reasons"',
    'validation failed: timeout exceeded the maximum of 60',
    'order 503 was cancelled',
    'ticket #429 is closed',
    'missing argument: retries',
    'Error code 429-B: the door is open',
    'Unknown option: timeout',
    'the query returned 503 rows, one was expected',
    'Not authorised: 401',
  ].map(saidByReader),

  'isError of a tool that may be repeated, and that passes': [
    passing('TOOL_RATE_LIMITED', 'Rate limit exceeded'),
    passing('TOOL_RATE_LIMITED', 'Too many requests, slow down'),
    passing('TOOL_RATE_LIMITED', 'Request failed with status code 429'),
    passing('TOOL_RATE_LIMITED', 'Error: HTTP 429'),
    passing('TOOL_RATE_LIMITED', 'API error (429): slow down'),
    passing('TOOL_RATE_LIMITED', 'openai.RateLimitError: slow down'),
    passing('TOOL_RATE_LIMITED', 'Rate limit exceeded. Authentication is required for more.'),
    passing('TOOL_TIMEOUT', 'Error: timeout'),
    passing('TOOL_TIMEOUT', 'canceling statement due to statement timeout'),
    passing('UPSTREAM_UNAVAILABLE', 'The server returned 503'),
    passing('TOOL_RATE_LIMITED', '{"error":"rate_limit_exceeded","status":429}'),
    passing('TOOL_TIMEOUT', 'timeout of 10000ms exceeded'),
    passing('TOOL_TIMEOUT', 'page.goto: Timeout 30000ms exceeded.'),
    passing('TOOL_TIMEOUT', 'MCP error -32001: Request timed out'),
    passing('UPSTREAM_UNAVAILABLE', 'The service is temporarily unavailable'),
    passing('UPSTREAM_UNAVAILABLE', 'upstream answered: 503 Service Unavailable'),
  ],

  'isError in other shapes': [
    row(
      'without content',
      WRITES,
      result({ content: [], isError: true }),
      reported({ message: /./ }),
    ),
    row(
      'only an image',
      WRITES,
      result({
        content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }],
        isError: true,
      }),
      reported({ message: /./ }),
    ),
    row(
      'with structured content, which is kept',
      WRITES,
      failed('no', { structuredContent: { field: 'amount', problem: 'too small' } }),
      reported({ details: { content: { field: 'amount', problem: 'too small' } } }),
    ),
    row(
      'with a machine code in it: of MCP only error_info is read',
      READS,
      failed('no', { structuredContent: { error: { code: 'insufficient_quota' } } }),
      reported(),
    ),
    row(
      'with an output schema that its content does not match: an error promises nothing',
      TICKET,
      failed('no', { structuredContent: { id: 'x' } }),
      reported(),
    ),
    row(
      'its text is said',
      WRITES,
      failed('anchor not found'),
      reported({ message: /anchor not found/ }),
    ),
    row(
      'with error_info, a writer: it refused before it ran',
      WRITES,
      [
        failed('no', { structuredContent: { error_info: { ...SPOKEN, retry_after_ms: 1 } } }),
        says('ok'),
      ],
      succeeds(content('ok'), { requests: 2 }),
    ),
    row(
      'with error_info that never passes',
      READS,
      failed('no', {
        structuredContent: {
          error_info: {
            ...SPOKEN,
            code: 'UPSTREAM_QUOTA_EXHAUSTED',
            category: 'configuration',
            retryable: false,
            retry_after_ms: null,
          },
        },
      }),
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', { breaker: 'neutral' }),
    ),
    row(
      'isError: false is a success',
      WRITES,
      result({ ...content('timeout 429'), isError: false }),
      succeeds(content('timeout 429'), { breaker: 'success' }),
    ),
    row(
      'over SSE',
      WRITES,
      (x) => sse(framed(x.id, { ...content('no such file'), isError: true }), 'end')(x),
      reported(),
    ),
  ],
});
