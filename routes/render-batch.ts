// The body of a batch's answer: results spliced as they came from upstream, never parsed again.
import type { ToolResult } from '../src/call.js';
import { type ReadEnvelope, renderMessages, resultPieces } from '../src/format/index.js';
import type { Gateway } from '../src/gateway/gateway.js';

/** JSON text, or bytes where a result was large. */
export function batchBody(
  batchId: string,
  results: readonly ToolResult[],
  envelope: ReadEnvelope,
  gateway: Gateway,
): string | Buffer {
  const pieces: (string | Uint8Array)[] = [`{"batch_id":"${batchId}","results":[`];
  results.forEach((result, index) => {
    if (index > 0) pieces.push(',');
    pieces.push(...resultPieces(result));
  });
  pieces.push(']');
  if (envelope.format !== 'native') {
    const messages = renderMessages(envelope, results, {
      toAlias: (name) => gateway.registry.aliases.toAlias.get(name) ?? name,
      onSuspicion: (tool) => gateway.find(tool)?.definition.policy.onSuspicion ?? 'annotate',
    });
    pieces.push(`,"messages":${JSON.stringify(messages)}`);
  }
  pieces.push('}');
  return joinPieces(pieces);
}

/** One string where all pieces are strings, else one buffer. */
export function joinPieces(pieces: readonly (string | Uint8Array)[]): string | Buffer {
  const texts = pieces.filter((piece) => typeof piece === 'string');
  if (texts.length === pieces.length) return texts.join('');
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
}
