// The body of a batch's answer: results spliced as they came from upstream, never parsed again.
import type { ToolResult } from '../src/call.js';
import {
  type ReadEnvelope,
  renderMessages,
  resultPieces,
  resultText,
} from '../src/format/index.js';
import type { Gateway } from '../src/gateway/gateway.js';

/** JSON text, or bytes where a result was large. */
export function batchBody(
  batchId: string,
  results: readonly ToolResult[],
  envelope: ReadEnvelope,
  gateway: Gateway,
): string | Buffer {
  const body = new Spliced();
  body.text(`{"batch_id":"${batchId}","results":[`);
  results.forEach((result, index) => {
    if (index > 0) body.text(',');
    body.result(result);
  });
  body.text(']');
  if (envelope.format !== 'native') {
    const messages = renderMessages(envelope, results, {
      toAlias: (name) => gateway.registry.aliases.toAlias.get(name) ?? name,
      onSuspicion: (tool) => gateway.find(tool)?.definition.policy.onSuspicion ?? 'annotate',
    });
    body.text(`,"messages":${JSON.stringify(messages)}`);
  }
  body.text('}');
  return body.end();
}

/** One result alone. */
export function resultBody(result: ToolResult): string | Buffer {
  const body = new Spliced();
  body.result(result);
  return body.end();
}

/** Text that grows, until the first result that is bytes. */
class Spliced {
  #text = '';
  #pieces: (string | Uint8Array)[] | undefined;

  text(more: string): void {
    this.#text += more;
  }

  result(result: ToolResult): void {
    const text = resultText(result);
    if (text !== undefined) {
      this.#text += text;
      return;
    }
    this.#pieces ??= [];
    this.#pieces.push(this.#text, ...resultPieces(result));
    this.#text = '';
  }

  /** One string where all of it is text, else one buffer of its own. */
  end(): string | Buffer {
    if (this.#pieces === undefined) return this.#text;
    this.#pieces.push(this.#text);
    return Buffer.concat(
      this.#pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
    );
  }
}
