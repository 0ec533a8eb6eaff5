// Which response of a connection is the latest: what Node knows of a socket, but does not tell.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A property, as a WeakMap would be written to with every request. */
const LATEST = Symbol('latest response');

interface FollowedSocket extends Socket {
  [LATEST]?: ServerResponse;
}

/** Remembers the responses of a server's connections. */
export function followResponses(server: Server): void {
  server.on('request', ({ socket }: { socket: FollowedSocket }, response) => {
    socket[LATEST] = response;
  });
}

/** The response to the latest request; undefined before the first. */
export function latestResponse(socket: FollowedSocket): ServerResponse | undefined {
  return socket[LATEST];
}
