// What counts as this machine: to listen on without clients, to be called from, and as a Host that
// no page in a browser can be tricked into (DNS rebinding).
import { isIP } from 'node:net';

/** Whether a host name or an address is this machine. IPv4 within IPv6 (`::ffff:…`) counts as IPv4. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^::ffff:/, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
