// Streams that an MCP server breaks off and leaves an event id for, through the whole product: the call
// went out, so whatever its resumption is told, nobody may take it for unsent, and nobody sends it again.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Exchange,
  type FaultyServer,
  startFaultyServer,
} from '../fixtures/mcp/faulty-http.js';
import { type Harness, startHarness } from '../support/harness.js';
import { content } from './mcp-table.js';
import { type Expected, expectResult, fails, succeeds } from './table.js';

type OnGet = (response: ServerResponse, request: IncomingMessage, call: Exchange) => void;

const refuse =
  (status: number, headers: Record<string, string> = {}): OnGet =>
  (response) => {
    response.writeHead(status, headers).end();
  };

const lost = fails('MCP_TRANSPORT_ERROR', false, 'unknown', {
  attempts: 1,
  details: { transient: true, retry_stopped_by: 'unsafe_to_repeat' },
});

const ANSWERS: readonly (readonly [name: string, onGet: OnGet, expected: Expected])[] = [
  ...[302, 400, 401, 403, 404, 405, 410, 429, 500, 502, 503].map(
    (status) => [`refused with ${status}`, refuse(status, { 'retry-after': '1' }), lost] as const,
  ),
  ['reset', (_, request) => void request.socket.resetAndDestroy(), lost],
  ['closed without an answer', (_, request) => void request.socket.end(), lost],
  [
    'answered',
    (response, _, { id }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: content('ok') })}\n\n`);
    },
    succeeds(content('ok')),
  ],
];

const names = ANSWERS.map((_, index) => `tool${index}`);
const calls = new Map<string, Exchange[]>();
let server: FaultyServer;
let harness: Harness;

beforeAll(async () => {
  server = await startFaultyServer({
    sessions: true,
    tools: () => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    onCall: (exchange) => {
      const name = String(exchange.params['name']);
      calls.set(name, [...(calls.get(name) ?? []), exchange]);
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
      // Come back at once, with this id.
      exchange.response.end(`id: ${name}\nretry: 1\ndata: \n\n`);
    },
    onGet: (request, response) => {
      const name = String(request.headers['last-event-id']);
      const [, onGet] = ANSWERS[names.indexOf(name)] ?? [];
      const [call] = calls.get(name) ?? [];
      if (onGet === undefined || call === undefined) response.writeHead(405).end();
      else onGet(response, request, call);
    },
  });
  harness = await startHarness({
    defaults: { timeout_ms: 5000, breaker: false },
    mcp_servers: [{ name: 'srv', url: server.url, prefix: '' }],
  });
});

afterAll(async () => {
  await harness.close();
  await server.close();
});

it.each(ANSWERS.map((line, index) => [...line, index] as const))(
  'a resumption that is %s',
  async (_name, _onGet, expected, index) => {
    const name = `tool${index}`;
    expectResult(await harness.callOne(name), expected);
    expect(calls.get(name)).toHaveLength(1);
    expect(server.initializeCalls).toBe(1);
  },
);
