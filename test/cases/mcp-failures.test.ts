// The MCP cases of real failures through the whole product: configuration, route, layers, a real
// stdio server. Identifiers are those of the case file.
import { afterEach, expect, it } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';

/** A server whose tool `say` answers as its argument says; `die` kills it. */
const SERVER = `
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') send(id, { tools: [{ name: 'say', inputSchema: { type: 'object' } }] });
  else if (method !== 'tools/call') send(id, {});
  else if (params.arguments.die) process.kill(process.pid, 'SIGKILL');
  else send(id, params.arguments.result);
});`;

let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

async function start(): Promise<Harness> {
  harness = await startHarness({
    defaults: { retry: { max_attempts: 1 }, breaker: { min_calls: 5, failure_rate: 0.5 } },
    mcp_servers: [{ name: 'srv', command: [process.execPath, '-e', SERVER] }],
  });
  return harness;
}

const text = (said: string, isError = false): object => ({
  result: { content: [{ type: 'text', text: said }], isError },
});

it.each([
  ['C10', 'no such file'],
  ['C07', 'timeout column is required; 429 rows'],
])('%s isError is an error, whatever numbers its text has', async (_id, said) => {
  const { callOne } = await start();
  expect(await callOne('srv.say', text(said, true))).toMatchObject({
    status: 'error',
    error_info: { code: 'TOOL_EXECUTION_FAILED', retryable: false, effect: 'completed' },
  });
});

it('C13 domain errors leave the breaker closed', async () => {
  const { callOne, gateway } = await start();
  for (let i = 0; i < 6; i++) await callOne('srv.say', text('anchor not found', true));
  expect((await callOne('srv.say', text('hit'))).status).toBe('ok');
  expect(gateway.find('srv.say')?.pipeline.snapshot().breaker?.state).toBe('closed');
});

it('C19 a child that dies is unknown, and the next call finds another', async () => {
  const { callOne } = await start();
  expect((await callOne('srv.say', { die: true })).error_info).toMatchObject({
    code: 'MCP_TRANSPORT_ERROR',
    retryable: false,
    effect: 'unknown',
    details: { exit_signal: 'SIGKILL' },
  });
  expect((await callOne('srv.say', text('ok'))).status).toBe('ok');
});
