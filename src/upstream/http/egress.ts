// Which addresses may be dialled, decided on the address itself at the moment of connecting: a name
// that was harmless when the configuration loaded may resolve to something else now.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { ServerConfig } from '../../config.js';

export type EgressPolicy = ServerConfig['egress'];

/** The upstream's address is on the deny list; nothing was dialled. */
class BlockedAddressError extends Error {
  readonly code = 'TOOLGATE_BLOCKED_ADDRESS';

  constructor() {
    super('The address of the upstream is blocked by the egress policy.');
  }
}

/** Starts a connection and returns its socket at once, so that an attempt can destroy it. */
export type Connect = (
  options: buildConnector.Options,
  callback: (...args: [null, Socket] | [Error, null]) => void,
) => Socket | undefined;

/**
 * A connector that dials only what the policy allows. It has no timeout of its own: the attempt's
 * timer covers connecting.
 *
 * @param policy CIDRs or addresses; `allow` wins over `deny`
 */
export function createConnect(policy: EgressPolicy): Connect {
  const isBlocked = compileEgress(policy);
  const lookup = guardedLookup(isBlocked);
  // undici's connector returns the socket, though its type does not say so.
  const dial = buildConnector({ timeout: 0, lookup }) as unknown as Connect;
  return (options, callback) => {
    if (isIP(options.hostname) !== 0 && isBlocked(options.hostname)) {
      queueMicrotask(() => {
        callback(new BlockedAddressError(), null);
      });
      return undefined;
    }
    return dial(options, callback);
  };
}

/** Compiles a policy to a test on addresses. IPv4 within IPv6 (`::ffff:…`) counts as IPv4. */
export function compileEgress(policy: EgressPolicy): (address: string) => boolean {
  const deny = blockList(policy.deny);
  const allow = blockList(policy.allow);
  return (address) => {
    // A zone (`fe80::1%eth0`) is not part of the address.
    const bare = address.split('%', 1)[0] ?? '';
    const family = isIP(bare) === 6 ? 'ipv6' : 'ipv4';
    return deny.check(bare, family) && !allow.check(bare, family);
  };
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** `dns.lookup` without the blocked addresses; an error only where none is left. */
function guardedLookup(isBlocked: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const all: LookupOptions & { all: true } = { ...options, all: true };
    dnsLookup(hostname, all, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const allowed = addresses.filter(({ address }) => !isBlocked(address));
      const first: LookupAddress | undefined = allowed[0];
      if (first === undefined) callback(new BlockedAddressError(), '', 0);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
