// A stream whose client does not keep up, and one whose batch breaks.
import type { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { expect, it, vi } from 'vitest';
import { streamBatch, streamKind } from '../../routes/stream-batch.js';
import { Cancellation } from '../../src/cancellation.js';
import { ANONYMOUS } from '../../src/gateway/clients.js';
import type { BatchOutcome, BatchRequest } from '../../src/gateway/gateway.js';

const BATCH: BatchRequest = {
  calls: [],
  batchId: 'b',
  requestId: 'r',
  client: ANONYMOUS,
  format: 'native',
  receivedAt: 0,
  returnOrder: 'submission',
  mayReference: false,
  cancellation: new Cancellation(),
};

/** Runs a batch that behaves as told; gives the body that nobody reads yet. */
async function stream(
  execute: (batch: BatchRequest) => Promise<BatchOutcome>,
): Promise<PassThrough> {
  const sent: unknown[] = [];
  const reply = {
    header: () => reply,
    send: (body: unknown) => sent.push(body),
    raw: { flushHeaders: () => undefined },
  };
  await streamBatch({ execute }, BATCH, 'sse', reply as unknown as FastifyReply);
  return sent[0] as PassThrough;
}

it('progress does not pile up before a client that does not read', async () => {
  const message = 'x'.repeat(1000);
  const body = await stream(async ({ onProgress }) => {
    await Promise.resolve();
    for (let i = 0; i < 20_000; i++) onProgress?.('c', { progress: i, message });
    return { ok: true, results: [] };
  });
  await vi.waitFor(() => {
    expect(body.writableEnded).toBe(true);
  });
  expect(body.writableLength + body.readableLength).toBeLessThan(3 * 1_048_576);
  let text = '';
  for await (const chunk of body) text += String(chunk);
  expect(text).toMatch(/event: done\n.*"done":true.*\n\n$/);
});

it('work that goes on for another batch tells this one nothing more, and cuts nothing off', async () => {
  let tell: BatchRequest['onProgress'];
  const body = await stream(({ onProgress }) => {
    tell = onProgress;
    return Promise.resolve({ ok: true, results: [] });
  });
  await vi.waitFor(() => {
    expect(body.writableEnded).toBe(true);
  });
  tell?.('c', { progress: 1 });
  let text = '';
  for await (const chunk of body) text += String(chunk);
  expect(text).toMatch(/event: done\n.*"done":true.*\n\n$/);
});

it('a batch that breaks cuts the stream off', async () => {
  const body = await stream(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('broken');
  });
  await expect(body.toArray()).rejects.toThrow('broken');
});

it.each<[string | undefined, ReturnType<typeof streamKind>]>([
  [undefined, undefined],
  ['*/*', undefined],
  ['text/html', undefined],
  ['application/x-ndjson', 'ndjson'],
  ['Application/X-NDJSON; charset=utf-8', 'ndjson'],
  ['application/x-ndjson, */*', 'ndjson'],
  ['application/json, application/x-ndjson', 'ndjson'],
  ['application/x-ndjson;q=0', undefined],
  ['application/x-ndjson; q=0.000, */*', undefined],
  ['application/x-ndjson;q=much', undefined],
  ['application/x-ndjson;q=0.5, */*', undefined],
  ['application/x-ndjson;q=0.5, application/*', undefined],
  ['application/x-ndjson;q=0.5, application/json;q=0.9', undefined],
  ['application/x-ndjson;q=0.5, application/json;q=0.4', 'ndjson'],
  ['application/x-ndjson;q=0.5, text/event-stream', 'sse'],
  ['application/x-ndjson;q=0, text/event-stream;q=0.1', 'sse'],
  ['application/x-ndjson, text/event-stream', 'ndjson'],
  ['text/event-stream', 'sse'],
  ['text/event-stream;q=0', undefined],
  ['text/event-stream, */*', 'sse'],
  ['application/json, text/event-stream', undefined],
  ['text/event-stream, application/json;q=0.9', 'sse'],
  ['text/event-stream, application/json;q=0', 'sse'],
])('Accept: %s is answered in %s', (accept, kind) => {
  expect(streamKind(accept)).toBe(kind);
});
