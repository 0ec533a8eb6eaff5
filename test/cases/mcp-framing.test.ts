// Answers of MCP servers whose JSON-RPC is not as it should be, through the whole product: errors that
// name no request, ids and codes of another type, members that contradict each other.
import { body, content, READS, row, rpcError, runMcpRows, status, WRITES } from './mcp-table.js';
import { type Expected, fails, succeeds } from './table.js';

const error = (code: number, message = 'no', more: object = {}): object => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, ...more },
});

const parseError: Expected = fails('MCP_SERVER_ERROR', false, 'completed', {
  breaker: 'success',
  details: { upstream_code: -32700 },
});

runMcpRows({
  'an error that names no request is of the one it answers': [
    row(
      '-32700 with 200',
      WRITES,
      body('application/json', JSON.stringify(error(-32700))),
      parseError,
    ),
    row(
      '-32700 with 200, in a batch',
      WRITES,
      body('application/json', JSON.stringify([error(-32700)])),
      parseError,
    ),
    row('-32700 with 400', WRITES, status(400, {}, error(-32700)), parseError),
    row(
      'without an id at all',
      WRITES,
      body('application/json', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}'),
      parseError,
    ),
    row(
      '-32603 with 200',
      WRITES,
      body('application/json', JSON.stringify(error(-32603))),
      fails('MCP_SERVER_ERROR', false, 'unknown', { breaker: 'failure' }),
    ),
  ],

  'errors in other shapes': [
    row(
      'error_info in its data',
      WRITES,
      rpcError(-32000, 'busy', {
        error_info: {
          code: 'BULKHEAD_FULL',
          category: 'bulkhead_full',
          message: 'Queue full.',
          retryable: true,
          retry_after_ms: 9000,
          effect: 'not_sent',
        },
      }),
      fails('BULKHEAD_FULL', true, 'not_sent', {
        retry: 9000,
        details: { classified_by: 'upstream' },
      }),
    ),
    row(
      'the code is a text',
      READS,
      (x) =>
        body(
          'application/json',
          JSON.stringify({ jsonrpc: '2.0', id: x.id, error: { code: 'E_BUSY', message: 'x' } }),
        )(x),
      fails('MCP_TRANSPORT_ERROR', false, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'error is a text',
      READS,
      (x) =>
        body('application/json', JSON.stringify({ jsonrpc: '2.0', id: x.id, error: 'busy' }))(x),
      fails('MCP_TRANSPORT_ERROR', false, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'error is null beside a result',
      WRITES,
      (x) =>
        body(
          'application/json',
          JSON.stringify({ jsonrpc: '2.0', id: x.id, error: null, result: content('ok') }),
        )(x),
      succeeds(content('ok')),
    ),
    row(
      'neither result nor error',
      WRITES,
      (x) => body('application/json', JSON.stringify({ jsonrpc: '2.0', id: x.id }))(x),
      fails('TOOL_RESULT_ERROR', false, 'unknown', { breaker: 'failure' }),
    ),
    row(
      'the id as a text',
      WRITES,
      (x) =>
        body(
          'application/json',
          JSON.stringify({ jsonrpc: '2.0', id: String(x.id), result: content('ok') }),
        )(x),
      succeeds(content('ok')),
    ),
    row(
      'in a batch',
      WRITES,
      (x) =>
        body(
          'application/json',
          JSON.stringify([{ jsonrpc: '2.0', id: x.id, result: content('ok') }]),
        )(x),
      succeeds(content('ok')),
    ),
    row(
      'a message of 20 KB is cut',
      WRITES,
      rpcError(-32000, 'x'.repeat(20_000)),
      fails('MCP_SERVER_ERROR', false, 'unknown', { message: /^.{1,500}$/s }),
    ),
  ],
});
