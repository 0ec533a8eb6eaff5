// Bounds how long a socket may take to connect: undici would wait for the system, for minutes.
import { errors } from 'undici';
import type { Connect } from '../http/egress.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** The same connector; a connection that is not there in time fails with UND_ERR_CONNECT_TIMEOUT. */
export function withConnectTimeout(connect: Connect): Connect {
  return (options, callback) => {
    const late = (): void => {
      socket?.destroy(new errors.ConnectTimeoutError('connecting took too long'));
    };
    const timer = setTimeout(late, CONNECT_TIMEOUT_MS);
    const socket = connect(options, (...args) => {
      clearTimeout(timer);
      callback(...args);
    });
    return socket;
  };
}
