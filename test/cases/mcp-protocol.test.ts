// JSON-RPC errors of MCP servers through the whole product: the codes of the protocol, of its
// revisions, of the official packages, and those that servers make up. What they say of themselves is
// prose; only the code, `error_info` and the status count.
import {
  type Act,
  content,
  type McpRow,
  READS,
  row,
  rpcError,
  runMcpRows,
  says,
  sse,
  status,
  WRITES,
} from './mcp-table.js';
import { fails, succeeds, type Verdict } from './table.js';

const error = (code: number, message = 'no', more: object = {}): object => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, ...more },
});

type Line = readonly [code: number, meaning: string, message: string];

/** A definite no of the protocol, whatever the tool. */
const definite = (
  code: string,
  breaker: Verdict,
  lines: readonly Line[],
  more: object = {},
): McpRow[] =>
  lines.flatMap(([number, meaning, message]) =>
    [WRITES, READS].map((tool) =>
      row(
        `${number} ${meaning}, ${tool === READS ? 'reads' : 'writes'}`,
        tool,
        rpcError(number, message),
        fails(code, false, 'completed', {
          breaker,
          details: { upstream_code: number, transient: false, classified_by: 'mcp' },
          ...more,
        }),
      ),
    ),
  );

/** A code of the server's own: permanent, and what became of the call is not known. */
const application = ([number, meaning, message]: Line): McpRow =>
  row(
    `${number} ${meaning}`,
    READS,
    rpcError(number, message),
    fails('MCP_SERVER_ERROR', false, 'unknown', {
      breaker: 'neutral',
      details: { upstream_code: number, transient: false, classified_by: 'mcp' },
    }),
  );

const internal = (name: string, act: Act): McpRow[] => [
  row(
    `${name}, writes`,
    WRITES,
    act,
    fails('MCP_SERVER_ERROR', false, 'unknown', {
      breaker: 'failure',
      details: { transient: true, retry_stopped_by: 'unsafe_to_repeat' },
    }),
  ),
  row(
    `${name}, reads`,
    READS,
    act,
    fails('MCP_SERVER_ERROR', true, 'unknown', { requests: 3, breaker: 'failure' }),
  ),
];

const ELICIT = {
  elicitations: [
    {
      mode: 'url',
      elicitationId: 'e1',
      url: 'https://mcp.example.com/connect?token=abc123',
      message: 'x',
    },
  ],
};

runMcpRows({
  'the request was not taken': definite('MCP_SERVER_ERROR', 'success', [
    [-32700, 'parse error', 'Parse error'],
    [-32600, 'invalid request', 'Invalid Request'],
    [-32600, 'that speaks of a rate limit', 'Too many requests (429), retry after 5'],
    [-32700, 'that speaks of a time-out', 'Timeout while parsing'],
  ]),

  'the server does not know the method': definite('CONFIGURATION_ERROR', 'neutral', [
    [-32601, 'method not found', 'Method not found'],
    [-32601, 'that speaks of a tool', 'Unknown tool'],
  ]),

  'the arguments, of a tool that is listed': definite(
    'TOOL_ARGUMENT_ERROR',
    'success',
    [
      [-32602, 'invalid params', 'Invalid params'],
      [-32602, 'that claims an unknown tool, which is listed', 'Unknown tool: case3'],
      [-32602, 'of a schema library', 'Invalid arguments for tool pay: [{"path":["amount"]}]'],
    ],
    {},
  ),

  'the tool asks for something first': [
    row(
      '-32042 URL elicitation required',
      READS,
      rpcError(-32042, 'Please connect your account', ELICIT),
      fails('TOOL_INPUT_REQUIRED', false, 'completed', {
        breaker: 'success',
        details: { upstream_code: -32042, input_request: { elicitations: [{ mode: 'url' }] } },
      }),
    ),
    row(
      '-32042 without data',
      WRITES,
      rpcError(-32042, 'x'),
      fails('TOOL_INPUT_REQUIRED', false, 'completed', { breaker: 'success' }),
    ),
    row(
      '-32042 with 403',
      WRITES,
      status(403, {}, error(-32042)),
      fails('UPSTREAM_FORBIDDEN', false, 'completed', { breaker: 'neutral' }),
    ),
    row(
      '-32042 with 400',
      WRITES,
      status(400, {}, error(-32042, 'x', { data: ELICIT })),
      fails('TOOL_INPUT_REQUIRED', false, 'completed', { breaker: 'success' }),
    ),
    row(
      '-32021 missing client capability',
      READS,
      rpcError(-32021, 'sampling is required'),
      fails('TOOL_INPUT_REQUIRED', false, 'completed', { breaker: 'success' }),
    ),
  ],

  'an internal error may pass': [
    ...internal('-32603', rpcError(-32603, 'Internal error')),
    ...internal('-32603 that claims to be validation', rpcError(-32603, 'invalid input')),
    ...internal('-32603 over SSE', (x) =>
      sse(`data: ${JSON.stringify({ ...error(-32603), id: x.id })}\n\n`, 'end')(x),
    ),
    row(
      '-32603 once, reads',
      READS,
      [rpcError(-32603, 'x'), says('ok')],
      succeeds(content('ok'), { requests: 2 }),
    ),
  ],

  'codes of servers': (
    [
      [-32000, 'of FastMCP', 'Server error'],
      [-32000, 'that speaks of a rate limit', 'Rate limit exceeded, retry in 30 s'],
      [-32001, 'the peer says that it timed out', 'Request timed out'],
      [-32002, 'resource not found', 'Resource not found'],
      [-32003, 'of a proxy', 'upstream connect error 503'],
      [-32004, 'of a gateway', 'Forbidden'],
      [-32010, 'of a gateway', 'tool execution failed'],
      [-32019, 'last of the reserved ones', 'x'],
      [-32050, 'of a server', 'quota exceeded'],
      [-32099, 'last of JSON-RPC', 'x'],
      [-32800, 'of the language servers: cancelled', 'Request cancelled'],
      [-1, 'made up', 'boom'],
      [0, 'made up', ''],
      [429, 'a status for a code', 'Too Many Requests'],
      [503, 'a status for a code', 'Service Unavailable'],
      [1001, 'made up', 'no such order'],
    ] as const
  ).map(application),
});
