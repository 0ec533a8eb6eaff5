// A ToolResult on the wire. A tool's JSON is spliced in as the text or the bytes it came in: large
// results are neither parsed, copied nor stringified again.
import type { ResultBody, ToolResult } from '../call.js';
import type { ErrorInfo } from '../errors/error-info.js';

function head(r: ToolResult): string {
  return `{"id":${JSON.stringify(r.id)},"tool":${JSON.stringify(r.tool)},"status":"${r.status}","result":`;
}

function tail(r: ToolResult): string {
  const failure =
    r.errorInfo === null ? ',"error":null,"error_info":null' : failureText(r.errorInfo);
  const durationMs = Math.round(r.durationMs * 10) / 10;
  let text = `${failure},"attempts":${r.attempts},"duration_ms":${durationMs},"cached":${r.cached ? 'true' : 'false'}`;
  if (r.warnings !== undefined) text += `,"warnings":${JSON.stringify(r.warnings)}`;
  if (r.truncatedFromBytes !== undefined)
    text += `,"truncated":true,"original_bytes":${r.truncatedFromBytes}`;
  return text + '}';
}

/** The message stands in it twice and is escaped once. */
function failureText(info: ErrorInfo): string {
  const message = JSON.stringify(info.message);
  const reason = info.reason === undefined ? '' : `,"reason":${JSON.stringify(info.reason)}`;
  return (
    `,"error":${message},"error_info":{"code":"${info.code}","category":"${info.category}"${reason}` +
    `,"message":${message},"retryable":${info.retryable ? 'true' : 'false'}` +
    `,"retry_after_ms":${info.retry_after_ms ?? 'null'},"effect":"${info.effect}"` +
    `,"details":${JSON.stringify(info.details)}}`
  );
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

/** One ToolResult as JSON text; undefined where the result is bytes (`resultPieces`). */
export function resultText(r: ToolResult): string | undefined {
  return r.result?.kind === 'json-bytes' ? undefined : head(r) + bodyText(r.result) + tail(r);
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
