// Which header lines a request can carry, for the check of a configuration and for the request itself.

/** A token (RFC 9110 §5.6.2): a header's name, a method. */
export const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What a header's value cannot hold: line breaks, controls, anything beyond Latin-1 (RFC 9110 §5.5). */
export const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** The connection's own business (RFC 9110 §7.6.1), and what the HTTP client sets or refuses. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether nobody but the gateway sets this header; case does not count. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(name.toLowerCase());
}
