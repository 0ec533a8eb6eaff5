// What Node's parser refuses is a problem document, too.
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.js';

let harness: Harness | undefined;
let upstream: ScriptedUpstream | undefined;

afterEach(async () => {
  await harness?.close();
  await upstream?.close();
  upstream = undefined;
});

async function send(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(answer);
    });
  });
}

it.each([
  ['no HTTP at all', 'HELLO\r\n\r\n', 400],
  ['a header without end', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
])('%s', async (_name, text, status) => {
  harness = await startHarness({});
  const url = await harness.app.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(url).port);
  const [head = '', body = ''] = (await send(port, text)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/content-type: application\/problem\+json/);
  expect(JSON.parse(body)).toMatchObject({ status, error_info: { code: 'PARSER_ERROR' } });
});

describe('what cannot be read after a request', () => {
  const JUNK = 'JUNK\r\n\r\n';
  const TWO = JSON.stringify({ calls: [{ tool: 'get' }, { tool: 'get' }] });

  const request = (headers: readonly string[] = [], body = TWO): string =>
    [
      'POST /v1/tool-calls HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...headers,
      '',
      body,
    ].join('\r\n');

  const chunkedHead = request(['Transfer-Encoding: chunked'], '').replace(
    /Content-Length.*\r\n/,
    '',
  );

  interface Connection {
    readonly socket: Socket;
    readonly received: () => string;
    readonly closed: Promise<unknown>;
  }

  /** A connection to a gateway whose first call hangs where it is told to. */
  async function open(hangs: boolean): Promise<Connection> {
    const ok = { status: 200, body: { ok: true } };
    upstream = await startScriptedUpstream(ok, hangs ? { hang: true } : ok);
    const http = { method: 'GET', url: `${upstream.url}/` };
    harness = await startHarness({
      server: { max_body_bytes: 1_024 },
      tools: [{ name: 'get', description: 'get', input_schema: { type: 'object' }, http }],
    });
    const url = await harness.app.listen({ host: '127.0.0.1', port: 0 });
    let received = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    return { socket, closed, received: () => received };
  }

  it.each(['application/x-ndjson', 'text/event-stream'])(
    'is not answered in the middle of an answer: %s',
    async (accept) => {
      const { socket, received, closed } = await open(true);
      socket.write(request([`Accept: ${accept}`]));
      await vi.waitFor(() => {
        expect(received()).toContain('"ok":true');
      });
      socket.write(JUNK);
      await closed;
      expect(received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(received()).not.toContain('PARSER_ERROR');
    },
  );

  it('is not answered in place of an answer that is owed: its calls are under way', async () => {
    const { socket, received, closed } = await open(true);
    socket.write(request());
    await vi.waitFor(() => {
      expect(upstream?.requests).toHaveLength(2);
    });
    socket.write(JUNK);
    await closed;
    expect(received()).toBe('');
  });

  it('is not answered in a pipeline before its turn', async () => {
    const { socket, received, closed } = await open(true);
    socket.write(request() + chunkedHead);
    await vi.waitFor(() => {
      expect(upstream?.requests).toHaveLength(2);
    });
    socket.write('no chunk\r\n');
    await closed;
    expect(received()).toBe('');
  });

  it('is not answered after the answer to the request that it belongs to', async () => {
    const { socket, received, closed } = await open(false);
    socket.write(`${chunkedHead}7d0\r\n${'x'.repeat(2_000)}\r\n`);
    await vi.waitFor(() => {
      expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    });
    socket.write('no chunk\r\n');
    await closed;
    expect(received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it('is answered after an answer that was given whole', async () => {
    const { socket, received, closed } = await open(false);
    socket.write(request());
    await vi.waitFor(() => {
      expect(received()).toContain('"results"');
    });
    socket.write(JUNK);
    await closed;
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});
