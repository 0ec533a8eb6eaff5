// What becomes of the exchange with an MCP server, through the whole product: streams that end or break
// off in the answer (C18 of the case file and more of its kind), answers that are no message, connections
// that go, time that runs out.
import {
  type Act,
  body,
  content,
  hang,
  hangUp,
  type McpRow,
  READS,
  reset,
  row,
  runMcpRows,
  says,
  sse,
  WRITES,
} from './mcp-table.js';
import { type Expected, fails, succeeds } from './table.js';

/** Sent, and no answer: nothing is known. */
const lost = (name: string, act: Act, more: object = {}): McpRow[] => {
  const details = { transient: true, ...more };
  return [
    row(
      `${name}, writes`,
      WRITES,
      act,
      fails('MCP_TRANSPORT_ERROR', false, 'unknown', {
        breaker: 'failure',
        details: { ...details, retry_stopped_by: 'unsafe_to_repeat' },
      }),
    ),
    row(
      `${name}, reads`,
      READS,
      act,
      fails('MCP_TRANSPORT_ERROR', true, 'unknown', { requests: 3, details }),
    ),
    row(`${name} once, reads`, READS, [act, says('ok')], succeeds(content('ok'), { requests: 2 })),
  ];
};

const noMessage: Expected = fails('MCP_TRANSPORT_ERROR', false, 'unknown', {
  breaker: 'failure',
  details: { transient: false },
});
const timedOut: Expected = fails('MCP_TIMEOUT', false, 'unknown', {
  details: { transient: true, scope: 'attempt', timeout: 0.25 },
});

const progress: Act = (exchange) => {
  const send = exchange.stream();
  const { _meta } = exchange.params as { _meta?: { progressToken?: number } };
  const params = { progressToken: _meta?.progressToken, progress: 1 };
  const timer = setInterval(
    () => send({ jsonrpc: '2.0', method: 'notifications/progress', params }),
    50,
  );
  exchange.response.on('close', () => clearInterval(timer));
};

const answerOf = (id: unknown, value: object): string =>
  `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: value })}\n\n`;
const PROGRESS =
  'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n';
const HTML = '<!DOCTYPE html><html><title>Sign in</title></html>';

runMcpRows(
  {
    'streams that end without the answer (C18)': [
      ...lost('after a comment', sse(': hello\n\n', 'end')),
      ...lost('at once', sse('', 'end')),
      ...lost('after a notification', sse(PROGRESS, 'end')),
      ...lost('in the middle of an event', sse('data: {"jsonrpc":"2.0","id":1000', 'end')),
      ...lost('after an event that is no JSON', sse('data: hello\n\n', 'end')),
      ...lost('reset after a comment', sse(': hello\n\n', 'reset')),
      ...lost('reset in the middle of the answer', (x) =>
        sse(answerOf(x.id, content('x')).slice(0, 40), 'reset')(x),
      ),
      row(
        'the answer of another request: its own may still come',
        WRITES,
        sse(answerOf(7, content('x')), 'end'),
        timedOut,
      ),
      row(
        'the answer, and then a reset',
        WRITES,
        (x) => sse(answerOf(x.id, content('ok')), 'reset')(x),
        succeeds(content('ok')),
      ),
      row(
        'the answer after notifications',
        WRITES,
        (x) => sse(PROGRESS + answerOf(x.id, content('ok')), 'end')(x),
        succeeds(content('ok')),
      ),
      row(
        'two answers: the first counts',
        WRITES,
        (x) => sse(answerOf(x.id, content('1')) + answerOf(x.id, content('2')), 'end')(x),
        succeeds(content('1')),
      ),
    ],

    'answers that are no message': [
      row('an HTML page', READS, body('text/html', HTML), noMessage),
      row(
        'an HTML page of a captive portal, as JSON',
        WRITES,
        body('application/json', HTML),
        noMessage,
      ),
      row('nothing', READS, body('application/json', ''), noMessage),
      row(
        'half a JSON text',
        WRITES,
        body('application/json', '{"jsonrpc":"2.0","id":'),
        noMessage,
      ),
      row('plain text', READS, body('text/plain', 'ok'), noMessage),
      row('JSON that is no message', WRITES, body('application/json', '{"ok":true}'), noMessage),
      row('a list of nothing', WRITES, body('application/json', '[]'), noMessage),
      row('null', READS, body('application/json', 'null'), noMessage),
      row('a number', WRITES, body('application/json', '42'), noMessage),
      row(
        'JSON behind a byte order mark',
        WRITES,
        (x) => {
          const message = { jsonrpc: '2.0', id: x.id, result: content('ok') };
          x.raw(200, { 'content-type': 'application/json' }, `\uFEFF${JSON.stringify(message)}`);
        },
        succeeds(content('ok')),
      ),
      row(
        'JSON without its content type',
        WRITES,
        (x) =>
          body(
            'text/plain',
            JSON.stringify({ jsonrpc: '2.0', id: x.id, result: content('ok') }),
          )(x),
        succeeds(content('ok')),
      ),
    ],

    'the connection goes': [
      ...lost('reset once it was read', reset, { system_code: 'ECONNRESET' }),
      ...lost('closed in order without an answer', hangUp),
      ...lost(
        'closed in the middle of the headers',
        ({ request }) => void request.socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
      ),
      ...lost(
        'closed in the middle of the body',
        ({ request }) =>
          void request.socket.end(
            'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"jsonrpc"',
          ),
      ),
      row(
        'garbage for HTTP',
        READS,
        ({ request }) => void request.socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
        noMessage,
      ),
    ],

    'refusals whose body breaks off: their status had come whole': [
      ...(
        [
          [429, fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 7000, breaker: 'neutral' })],
          [
            503,
            fails('UPSTREAM_UNAVAILABLE', false, 'unknown', { retry: 7000, breaker: 'failure' }),
          ],
          [403, fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 7000 })],
          [404, fails('UPSTREAM_REJECTED', false, 'completed')],
          [401, fails('UPSTREAM_AUTH_FAILED', false, 'not_sent')],
          [500, fails('MCP_SERVER_ERROR', false, 'unknown', { retry: 7000 })],
        ] as const
      ).map(([code, expected]) =>
        row(
          String(code),
          WRITES,
          ({ request }) =>
            void request.socket.end(
              `HTTP/1.1 ${code} No\r\nretry-after: 7\r\ncontent-length: 500\r\n\r\n{"err`,
            ),
          expected,
        ),
      ),
    ],

    'time runs out': [
      row('without a header, writes', WRITES, hang, { ...timedOut, breaker: 'failure' }),
      row('in a silent stream, writes', WRITES, sse(': hello\n\n', 'open'), timedOut),
      row('with progress to the last: the limit of an attempt is hard', WRITES, progress, timedOut),
      row('once, reads', READS, [hang, says('ok')], succeeds(content('ok'), { requests: 2 })),
      row(
        'in the middle of a body',
        WRITES,
        ({ response }) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999' });
          response.write('{"jsonrpc"');
        },
        timedOut,
      ),
    ],
  },
  { server: { timeout_ms: 250 } },
);
