// C17: a lost session is recovered once, for all who lost it, and without an attempt of its own.
import { describe, expect, it } from 'vitest';
import { type Exchange, startFaultyServer } from '../../fixtures/mcp/faulty-http.js';
import { codeOf, http, onEnd, startServer, valueOf } from './setup.js';

async function withSessions(onCall: (exchange: Exchange, index: number) => void) {
  const upstream = await startFaultyServer({ sessions: true, onCall });
  onEnd(() => upstream.close());
  const harness = startServer(http(upstream.url));
  await harness.server.connect();
  return { ...harness, upstream };
}

const ok = (exchange: Exchange): void =>
  exchange.result({ content: [{ type: 'text', text: 'ok' }] });

describe('an expired session (C17)', () => {
  it('is renewed once, without the old id, and the call is sent again', async () => {
    const { call, upstream } = await withSessions(ok);
    upstream.lost.add('s1');
    const { outcome, attempt } = call('t');
    expect(valueOf(await outcome)).toEqual({ content: [{ type: 'text', text: 'ok' }] });
    expect(attempt.ctx.attempts).toBe(1);
    expect(upstream.initializeCalls).toBe(2);
    expect(upstream.initializeSessions).toEqual([undefined, undefined]);
    expect(upstream.toolCalls).toBe(1);
  });

  it('is renewed once for twenty callers', async () => {
    const { call, upstream } = await withSessions(ok);
    upstream.lost.add('s1');
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => call('t').outcome));
    expect(outcomes.every(({ kind }) => kind === 'ok')).toBe(true);
    expect(upstream.initializeCalls).toBe(2);
    expect(upstream.toolCalls).toBe(20);
  });

  it('is a failure the second time, and no third handshake follows', async () => {
    const { call, upstream } = await withSessions(ok);
    upstream.lost.add('s1').add('s2');
    const outcome = await call('t').outcome;
    expect(outcome).toEqual({ kind: 'mcp-connection', problem: 'session_lost' });
    expect(codeOf(outcome).info).toMatchObject({
      code: 'MCP_CONNECTION_FAILED',
      category: 'connection',
      retryable: true,
      effect: 'not_sent',
    });
    expect(upstream.initializeCalls).toBe(2);
    expect((await call('t').outcome).kind).toBe('ok');
    expect(upstream.initializeCalls).toBe(3);
  });

  it('is known by a 400 that says so, too', async () => {
    const { call, upstream } = await withSessions((exchange) => {
      if (exchange.session === 's1') {
        exchange.raw(
          400,
          {},
          '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}',
        );
      } else ok(exchange);
    });
    expect((await call('t').outcome).kind).toBe('ok');
    expect(upstream.initializeCalls).toBe(2);
  });

  it('is not what a 404 with -32601 says', async () => {
    const { call, upstream } = await withSessions((exchange) => {
      const error = { code: -32601, message: 'Method not found' };
      exchange.raw(404, {}, JSON.stringify({ jsonrpc: '2.0', id: exchange.id, error }));
    });
    const outcome = await call('t').outcome;
    expect(codeOf(outcome).info.code).toBe('CONFIGURATION_ERROR');
    expect(upstream.initializeCalls).toBe(1);
  });

  it('is not what a 404 without a session says', async () => {
    const upstream = await startFaultyServer({ onCall: (exchange) => exchange.raw(404, {}, 'no') });
    onEnd(() => upstream.close());
    const outcome = await startServer(http(upstream.url)).call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'response', status: 404 });
    expect(upstream.initializeCalls).toBe(1);
  });

  it('lets a call that is still being answered on it come to its end', async () => {
    let finish: () => void = () => undefined;
    const { call, upstream } = await withSessions((exchange, index) => {
      if (index === 0) finish = () => ok(exchange);
      else ok(exchange);
    });
    const slow = call('t').outcome;
    while (upstream.toolCalls === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    upstream.lost.add('s1');
    expect((await call('t').outcome).kind).toBe('ok');
    finish();
    expect((await slow).kind).toBe('ok');
  });
});
