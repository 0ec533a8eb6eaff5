// Header names and values that can be sent (RFC 9110 §5.5, §5.6.2).
import { TOKEN, isReservedHeader, UNSENDABLE } from '../../header-rules.js';
import { showKey, type ConfigPath } from '../faults.js';
import { type CheckContext, members } from './context.js';

export function checkHeaderName(
  context: CheckContext,
  path: ConfigPath,
  name: string,
  spot: 'key' | 'value',
): void {
  if (!TOKEN.test(name)) context.fault(path, 'is no header name', 'letters, digits and "-"', spot);
  else if (isReservedHeader(name))
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
