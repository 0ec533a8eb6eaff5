// The streaming answers of a batch: a line (NDJSON) or an event (SSE) per result as it completes.
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { BatchRequest, Gateway } from '../src/gateway/gateway.js';
import { resultBody } from './render-batch.js';
import { invalidEnvelope } from '../src/plugins/problem.js';

export type StreamKind = 'ndjson' | 'sse';

const CONTENT_TYPES = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  sse: 'text/event-stream; charset=utf-8',
} as const satisfies Record<StreamKind, string>;

/**
 * What the Accept header asks for; undefined: plain JSON, also where nothing that it names exists.
 * A stream must be named: a wildcard stands for JSON. Of equal weights a line per result wins;
 * events do not over JSON that is named with them, for some clients always name both.
 */
export function streamKind(accept: string | undefined): StreamKind | undefined {
  if (accept === undefined || !/x-ndjson|event-stream/i.test(accept)) return undefined;
  const weights = weightsOf(accept);
  const ndjson = weights.get('application/x-ndjson') ?? 0;
  const sse = weights.get('text/event-stream') ?? 0;
  const named = weights.get('application/json');
  const json = named ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  if (ndjson > 0 && ndjson >= sse && ndjson >= json) return 'ndjson';
  if (sse > 0 && sse >= json && sse > (named ?? 0)) return 'sse';
  return undefined;
}

/** Media range -> its weight, 0 to 1; 0: not acceptable (RFC 9110, 12.4.2). */
function weightsOf(accept: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  return weights;
}

/** Without raw line breaks, which frame both kinds of stream; in JSON they are only white space. */
function oneLine(json: string | Buffer): string | Buffer {
  if (typeof json === 'string') return /[\n\r]/.test(json) ? json.replace(/[\n\r]/g, ' ') : json;
  for (const lineBreak of [0x0a, 0x0d]) {
    for (let at = json.indexOf(lineBreak); at !== -1; at = json.indexOf(lineBreak, at))
      json[at] = 0x20;
  }
  return json;
}

/**
 * Runs the batch and answers as it goes. A faulty order of calls is still a 400: nothing was written.
 * For a client that does not keep up, results wait; progress is left out.
 */
export async function streamBatch(
  gateway: Pick<Gateway, 'execute'>,
  batch: BatchRequest,
  kind: StreamKind,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = new PassThrough({ highWaterMark: 1 << 20 });
  const write = (event: string, data: string | Buffer): void => {
    // Work that is shared with another batch may go on, and tell of it, when this one has ended.
    if (body.destroyed || body.writableEnded) return;
    body.write(kind === 'sse' ? `event: ${event}\ndata: ` : '');
    body.write(data);
    body.write(kind === 'sse' ? '\n\n' : '\n');
  };
  const running = gateway.execute({
    ...batch,
    onResult: (result) => {
      write('result', oneLine(resultBody(result)));
    },
    ...(kind === 'sse' && {
      onProgress: (id: string, progress: unknown) => {
        if (!body.writableNeedDrain) write('progress', JSON.stringify({ id, progress }));
      },
    }),
  });
  // The graph of dependencies is looked at before the first await: a fault of it is here at once.
  const early = await Promise.race([running, Promise.resolve(undefined)]);
  if (early?.ok === false)
    throw invalidEnvelope('The order of the calls cannot be kept.', early.errors);
  void running.then(
    (outcome) => {
      const calls = outcome.ok ? outcome.results.length : 0;
      write('done', JSON.stringify({ batch_id: batch.batchId, done: true, calls }));
      body.end();
    },
    // Cut off, so that nobody takes what was written for the whole.
    (error: unknown) => body.destroy(error as Error),
  );
  void reply
    .header('content-type', CONTENT_TYPES[kind])
    .header('cache-control', 'no-store')
    .header('x-batch-id', batch.batchId)
    .send(body);
  // At once, not with the first result: the id is what a caller cancels the batch by.
  reply.raw.flushHeaders();
  return reply;
}
