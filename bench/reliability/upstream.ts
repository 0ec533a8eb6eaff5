// The upstream of the reliability proofs, in a process of its own so that it can be killed and frozen.
//   tsx upstream.ts PORT JOURNAL
// Requests are `GET /TOOL?n=ID` or `POST /TOOL` with `{"n": ID}`. What the application executes stands
// in the journal before anything is answered, a line `TOOL ID` each: it outlives a SIGKILL.
// Over IPC `{fault, tool}` says what happens to the requests of a tool from now on.
import { appendFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { type FaultyRequest, readRequests } from '../../test/support/faulty-server.js';
import { type Fault, FAULTS, type FaultName } from './lib/faults.js';

const [, , port, journal = ''] = process.argv;
const faults = new Map<string, FaultName>();

interface Order {
  readonly tool: string;
  readonly fault: FaultName;
}

process.on('message', ({ tool, fault }: Order) => {
  faults.set(tool, fault);
  process.send?.('done');
});
process.on('disconnect', () => process.exit(0));

type Parsed = Pick<FaultyRequest, 'method' | 'target' | 'headers' | 'body'>;

function idOf({ target, body }: Parsed): string {
  const inQuery = new URL(target, 'http://upstream').searchParams.get('n');
  return inQuery ?? (JSON.parse(body) as { n: string }).n;
}

function serve(socket: Socket, request: Parsed): void {
  const [, tool = ''] = /^\/([\w.-]+)/.exec(request.target) ?? [];
  const fault: Fault = FAULTS[faults.get(tool) ?? 'fine'];
  if (fault.refuses !== true) appendFileSync(journal, `${tool} ${idOf(request)}\n`);
  fault.behaviour(socket, { ...request, connection: 0, onConnection: 0, nth: 0 });
}

const server = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  readRequests(socket, (request) => {
    serve(socket, request);
  });
});
server.listen(Number(port), '127.0.0.1', 4096, () => process.send?.('ready'));
