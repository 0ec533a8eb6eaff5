// A client that goes away cancels its calls. `request.signal` aborts as soon as a POST body has been
// read (fastify#6725), so this looks at the response: closed before it was written whole.
import type { FastifyReply } from 'fastify';
import type { Cancellation } from '../src/cancellation.js';

/** Cancels with `client_left` once the response can reach nobody. */
export function cancelWhenClientLeaves(reply: FastifyReply, cancellation: Cancellation): void {
  const { raw } = reply;
  const onClose = (): void => {
    if (!raw.writableFinished) cancellation.cancel('client_left');
  };
  // It may have left while its body was read: then nobody tells any more.
  if (raw.destroyed) {
    onClose();
    return;
  }
  raw.once('close', onClose);
  if (raw.socket !== null) return;
  // Pipelined: until its turn comes, the response does not hear of its connection.
  const { socket } = raw.req;
  socket.setMaxListeners(0);
  socket.once('close', onClose);
  raw.once('close', () => socket.off('close', onClose));
}
