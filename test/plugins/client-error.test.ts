// What Node's parser refuses is a problem document, too.
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type Harness, startHarness } from '../support/harness.js';

let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
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
