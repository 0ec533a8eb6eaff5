// Who is calling: `Authorization: Bearer KEY` or `X-API-Key`, before the body is read. Without
// configured clients anyone on this machine may call, but no page in a browser on it.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { ANONYMOUS, type Client } from '../gateway/clients.js';
import { isLoopback } from './loopback.js';
import { Problem } from './problem.js';

declare module 'fastify' {
  interface FastifyRequest {
    client: Client;
    /** The admin key was shown. */
    isAdmin: boolean;
    /** `performance.now()` when the request's head had been read. */
    receivedAt: number;
  }
  interface FastifyContextConfig {
    /**
     * Absent: a client's key where clients are configured. `none`: open to anyone. `optional`: a key
     * widens the answer. `operator`: the admin key where clients are configured. `admin`: the admin
     * key, always.
     */
    auth?: 'none' | 'optional' | 'operator' | 'admin';
  }
}

export interface AuthOptions {
  /** `TOOLGATE_ADMIN_KEY`; undefined: there are no admin routes. */
  readonly adminKey: string | undefined;
  /** `TOOLGATE_ALLOW_ANONYMOUS`: others than this machine may call without clients configured. */
  readonly allowAnonymous: boolean;
}

const MAX_KEY_LENGTH = 512;

function presentedKey(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const match = /^Bearer +(\S+) *$/i.exec(authorization.slice(0, MAX_KEY_LENGTH + 16));
    return match?.[1] ?? '';
  }
  const key = request.headers['x-api-key'];
  return Array.isArray(key) ? '' : key;
}

const unauthenticated = (): Problem =>
  new Problem({
    status: 401,
    code: 'TOOL_NOT_PERMITTED',
    title: 'Unauthorized',
    detail: 'A valid API key is required: "Authorization: Bearer KEY" or "X-API-Key: KEY".',
    headers: { 'www-authenticate': 'Bearer realm="toolgate"' },
  });

const forbidden = (detail: string): Problem =>
  new Problem({ status: 403, code: 'TOOL_NOT_PERMITTED', title: 'Forbidden', detail });

/** A Host header without its port. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}

let lastLocalHost: string | undefined;

/** Whether a Host header names this machine; callers mostly send the same one again. */
function isLocalHost(host: string): boolean {
  if (host === lastLocalHost) return true;
  if (!isLoopback(hostName(host))) return false;
  lastLocalHost = host;
  return true;
}

function originHost(origin: string): string {
  try {
    return new URL(origin).host;
  } catch {
    return 'invalid';
  }
}

/**
 * Refuses what does not come from this machine, or from a web page on it, where nobody is asked for
 * a key. The start refuses to listen elsewhere, but a reload may take the last client away.
 */
function refuseStrangers(request: FastifyRequest): void {
  const { host, origin } = request.headers;
  if (!isLoopback(request.socket.remoteAddress ?? '')) {
    throw forbidden('Without configured clients only this machine is answered.');
  }
  if (host !== undefined && !isLocalHost(host)) {
    throw forbidden('Without configured clients only requests to localhost are answered.');
  }
  if (origin !== undefined && !isLoopback(hostName(originHost(origin)))) {
    throw forbidden('Without configured clients no other origin may call.');
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

export const authPlugin = fp<AuthOptions>(
  (app: FastifyInstance, options, done) => {
    // Objects may not be shared as decorators; the hook sets it before anyone looks.
    app.decorateRequest('client', null as unknown as Client);
    app.decorateRequest('isAdmin', false);
    app.decorateRequest('receivedAt', 0);
    const adminDigest = options.adminKey === undefined ? undefined : digest(options.adminKey);
    app.addHook('onRequest', (request, _reply, next) => {
      request.receivedAt = performance.now();
      request.client = ANONYMOUS;
      let refusal: Problem | undefined;
      try {
        authenticate(app, request, adminDigest, options.allowAnonymous);
      } catch (error) {
        refusal = error as Problem;
      }
      // Outside of the try: what the next hook throws is not ours to catch.
      next(refusal);
    });
    done();
  },
  { name: 'auth', dependencies: ['problem', 'gateway'] },
);

function authenticate(
  app: FastifyInstance,
  request: FastifyRequest,
  adminDigest: Buffer | undefined,
  allowAnonymous: boolean,
): void {
  const mode = request.routeOptions.config.auth;
  if (mode === 'none' || request.is404) return;
  const { clients } = app.gateway;
  const key = presentedKey(request);
  // Digests have one length, so that comparing them takes the same time whatever the key is.
  if (key !== undefined && adminDigest !== undefined && timingSafeEqual(digest(key), adminDigest)) {
    request.isAdmin = true;
    return;
  }
  if (mode === 'admin' || (mode === 'operator' && clients.required)) {
    throw key === undefined ? unauthenticated() : forbidden('This needs the admin key.');
  }
  if (!clients.required) {
    if (!allowAnonymous) refuseStrangers(request);
    return;
  }
  const client = key === undefined ? undefined : clients.authenticate(key);
  if (client !== undefined) request.client = client;
  else if (mode !== 'optional' || key !== undefined) throw unauthenticated();
}
