// Redirects to the same origin, for methods that only read. Any other redirect is an answer.
import type { IncomingHttpHeaders } from 'node:http';

export const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The path to go on with; undefined where the answer is no redirect or leaves the origin (scheme,
 * host and port), which would carry the tool's credentials to a stranger.
 */
export function sameOriginPath(
  status: number,
  headers: IncomingHttpHeaders,
  origin: string,
  path: string,
): string | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  const base = origin + path;
  if (!URL.canParse(location, base)) return undefined;
  const target = new URL(location, base);
  const leaves = target.origin !== origin || target.username !== '' || target.password !== '';
  return leaves ? undefined : target.pathname + target.search;
}
