// An MCP server that does by turns what such servers do to a call: answer, fail as JSON-RPC or as a
// result, break off, stall, break its stream.
import {
  type Exchange,
  type FaultyServer,
  startFaultyServer,
} from '../../../test/fixtures/mcp/faulty-http.js';

const CONTENT = [{ type: 'text', text: 'done' }];

const fine = (exchange: Exchange): void => exchange.result({ content: CONTENT });

const MOODS: readonly ((exchange: Exchange) => void)[] = [
  fine,
  fine,
  fine,
  (exchange) => exchange.error(-32603, 'Internal error'),
  (exchange) => exchange.result({ content: [{ type: 'text', text: 'no way' }], isError: true }),
  (exchange) => exchange.raw(503, {}, ''),
  (exchange) => exchange.raw(200, { 'content-type': 'application/json' }, '{"jsonrpc":'),
  (exchange) => void exchange.response.destroy(),
  (exchange) => {
    const write = exchange.stream();
    write({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } });
    exchange.response.end();
  },
  () => undefined,
];

const TOOL = {
  name: 'find',
  description: 'find',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

/** Starts it on a free loopback port. */
export function startMoodyMcp(): Promise<FaultyServer> {
  return startFaultyServer({
    tools: () => ({ tools: [TOOL] }),
    onCall: (exchange, index) => {
      MOODS[index % MOODS.length]?.(exchange);
    },
  });
}
