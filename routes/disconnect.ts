// A client that goes away cancels its calls. `request.signal` aborts as soon as a POST body has been
// read (fastify#6725), so this looks at the response: closed before it was written whole.
import type { FastifyReply } from 'fastify';
import type { Cancellation } from '../src/cancellation.js';
import { onceClosed } from '../src/plugins/response-closed.js';

/** Cancels with `client_left` once the response can reach nobody. */
export function cancelWhenClientLeaves({ raw }: FastifyReply, cancellation: Cancellation): void {
  onceClosed(raw, () => {
    if (!raw.writableFinished) cancellation.cancel('client_left');
  });
}
