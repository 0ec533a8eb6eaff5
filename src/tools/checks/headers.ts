// Header names and values that can be sent (RFC 9110 §5.5, §5.6.2).
import { showKey, type ConfigPath } from '../faults.js';
import { type CheckContext, members } from './context.js';

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** The connection's own business (RFC 9110 §7.6.1), and what the gateway sets. */
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

export function checkHeaderName(
  context: CheckContext,
  path: ConfigPath,
  name: string,
  spot: 'key' | 'value',
): void {
  if (!TOKEN.test(name)) context.fault(path, 'is no header name', 'letters, digits and "-"', spot);
  else if (RESERVED.has(name.toLowerCase()))
    context.fault(path, `${showKey(name)} is set by the gateway`, 'another header', spot);
}

export function checkHeaders(context: CheckContext, path: ConfigPath, headers: unknown): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(members(headers))) {
    const place = [...path, name];
    checkHeaderName(context, place, name, 'key');
    if (seen.has(name.toLowerCase()))
      context.fault(place, 'is given twice; case does not count', 'each header once', 'key');
    seen.add(name.toLowerCase());
    if (typeof value === 'string' && UNSENDABLE.test(value)) {
      const expected = 'one line of Latin-1 text';
      context.fault(place, 'has a character that no header can carry', expected);
    }
  }
}
