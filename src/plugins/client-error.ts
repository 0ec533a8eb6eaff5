// Requests that Node's parser gives up on, before there is a request to answer: the same problem
// document as everywhere else, written to the socket by hand.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../ids.js';
import { latestResponse } from './latest-response.js';
import { PROBLEM_JSON, problemDocument } from './problem.js';

interface Refusal {
  readonly status: number;
  readonly detail: string;
}

const REFUSALS: ReadonlyMap<string | undefined, Refusal> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, detail: 'The request did not arrive in time.' }],
  ['HPE_HEADER_OVERFLOW', { status: 431, detail: 'The header of the request is too large.' }],
]);

const NOT_HTTP: Refusal = { status: 400, detail: 'The request is not valid HTTP/1.1.' };

/**
 * Whether the next bytes on the connection are the answer to what could not be read: not in the
 * middle of another answer, not in place of one that is still owed, and not after its own.
 */
function isNextToAnswer(socket: Socket): boolean {
  const response = latestResponse(socket);
  if (response === undefined) return true;
  if (response.req.complete) return response.writableFinished;
  return response.socket === socket && !response.headersSent;
}

/** Fastify's `clientErrorHandler`: answers where that is still possible, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable && isNextToAnswer(socket))
    socket.write(answer(REFUSALS.get(error.code) ?? NOT_HTTP));
  socket.destroy(error);
}

function answer({ status, detail }: Refusal): string {
  const title = STATUS_CODES[status] ?? '';
  const options = { status, code: 'PARSER_ERROR', title, detail } as const;
  const body = JSON.stringify(problemDocument(options, newId()));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `content-type: ${PROBLEM_JSON}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
