// When a response is over, however it ended. A response that waits its turn in a pipeline does not
// hear of its connection's end, and one whose client has left already hears nothing any more.
import type { ServerResponse } from 'node:http';

/** Calls back once: the response was written whole, or it can reach nobody. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) {
    listener();
    return;
  }
  if (response.socket !== null) {
    // Node emits it once; `once` would cost every request another function.
    response.on('close', listener);
    return;
  }
  const { socket } = response.req;
  const onClose = (): void => {
    response.off('close', onClose);
    socket.off('close', onClose);
    listener();
  };
  socket.setMaxListeners(0);
  response.once('close', onClose);
  socket.once('close', onClose);
}
