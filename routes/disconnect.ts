// A client that goes away cancels its calls. `request.signal` aborts as soon as a POST body has been
// read (fastify#6725), so this looks at the response: closed before it was written whole.
import type { FastifyReply } from 'fastify';
import type { Cancellation } from '../src/cancellation.js';

export function cancelWhenClientLeaves(reply: FastifyReply, cancellation: Cancellation): void {
  const { raw } = reply;
  raw.once('close', () => {
    if (!raw.writableFinished) cancellation.cancel('client_left');
  });
}
