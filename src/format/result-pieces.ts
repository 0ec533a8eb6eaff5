// A ToolResult on the wire. A tool's JSON is spliced in as the text or the bytes it came in: large
// results are neither parsed, copied nor stringified again.
import type { ResultBody, ToolResult } from '../call.js';

function head(r: ToolResult): string {
  return `{"id":${JSON.stringify(r.id)},"tool":${JSON.stringify(r.tool)},"status":"${r.status}","result":`;
}

function tail(r: ToolResult): string {
  const info = r.errorInfo;
  const failure =
    info === null
      ? ',"error":null,"error_info":null'
      : `,"error":${JSON.stringify(info.message)},"error_info":${JSON.stringify(info)}`;
  const durationMs = Math.round(r.durationMs * 10) / 10;
  let text = `${failure},"attempts":${r.attempts},"duration_ms":${durationMs},"cached":${r.cached ? 'true' : 'false'}`;
  if (r.warnings !== undefined) text += `,"warnings":${JSON.stringify(r.warnings)}`;
  if (r.truncatedFromBytes !== undefined)
    text += `,"truncated":true,"original_bytes":${r.truncatedFromBytes}`;
  return text + '}';
}

function bodyText(result: Exclude<ResultBody, { kind: 'json-bytes' }> | null): string {
  if (result === null) return 'null';
  switch (result.kind) {
    case 'json':
      return result.text;
    case 'text':
      return JSON.stringify(result.text);
    case 'value':
      return JSON.stringify(result.value ?? null);
  }
}

/**
 * One ToolResult as JSON: a single string, or string, chunks, string where the result is bytes.
 * Keys stand in the order of the contract.
 */
export function resultPieces(r: ToolResult): (string | Uint8Array)[] {
  const result = r.result;
  if (result?.kind !== 'json-bytes') return [head(r) + bodyText(result) + tail(r)];
  return [head(r), ...result.chunks, tail(r)];
}
