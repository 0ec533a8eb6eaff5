// `server:`: deadlines that fit each other, addresses that are addresses.
import { isIP } from 'node:net';
import { DEFAULT_SERVER } from '../defaults.js';
import { type CheckContext, items, members, numberOf, textOf } from './context.js';

export function checkServer(context: CheckContext, server: unknown): void {
  const { default_deadline_ms: wanted, max_deadline_ms: most } = members(server);
  const limit = numberOf(most) ?? DEFAULT_SERVER.maxDeadlineMs;
  if ((numberOf(wanted) ?? 0) > limit) {
    const path = ['server', 'default_deadline_ms'];
    context.fault(path, 'is above max_deadline_ms', `at most ${limit}`);
  }
  const { trust_proxy: proxies, egress } = members(server);
  checkRanges(context, ['server', 'trust_proxy'], proxies);
  checkRanges(context, ['server', 'egress', 'deny'], members(egress)['deny']);
  checkRanges(context, ['server', 'egress', 'allow'], members(egress)['allow']);
  items(proxies).forEach((range, index) => {
    if (textOf(range)?.endsWith('/0'))
      context.warn(
        ['server', 'trust_proxy', index],
        'everyone may name the address a call came from',
      );
  });
}

function checkRanges(context: CheckContext, path: readonly string[], ranges: unknown): void {
  items(ranges).forEach((range, index) => {
    if (typeof range === 'string' && !isRange(range))
      context.fault([...path, index], 'is no address', 'an IP address or CIDR such as 10.0.0.0/8');
  });
}

function isRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}
