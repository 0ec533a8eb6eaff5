// 10 000 calls leave nothing behind: no listener, no socket, no pending request, no child.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { livingGroups } from '../../../src/upstream/mcp/process-group.js';
import { startFaultyServer } from '../../fixtures/mcp/faulty-http.js';
import { http, onEnd, startServer, stdio, until, type Harness } from './setup.js';

const CALLS = 10_000;
const AT_ONCE = 50;
const FAULTY = join(import.meta.dirname, '../../fixtures/mcp/faulty-stdio.mjs');

/** Handles of the kinds that leak: sockets, pipes, processes, timers. */
function activeHandles(): number {
  return process
    .getActiveResourcesInfo()
    .filter((kind) => /TCPSocket|Pipe|Process|TCPConnect/.test(kind)).length;
}

async function flood(call: Harness['call'], name: string): Promise<Map<string, number>> {
  const kinds = new Map<string, number>();
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started < CALLS) {
      started += 1;
      // Every tenth is given up while it is under way.
      const { outcome, attempt } = call(started % 10 === 0 ? 'hang' : name, { message: 'm' });
      if (started % 10 === 0) {
        await until(() => attempt.phase === 'awaiting_headers', 'it is sent');
        attempt.abort({ kind: 'cancelled', reason: 'client_left' });
      }
      const { kind } = await outcome;
      expect(attempt.onAbort).toBeUndefined();
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return kinds;
}

describe('10 000 calls', () => {
  const expected = new Map([
    ['ok', CALLS - CALLS / 10],
    ['cancelled', CALLS / 10],
  ]);

  it('over HTTP', { timeout: 60_000 }, async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const upstream = await startFaultyServer({
      onCall: (exchange, index) => {
        if (exchange.params['name'] === 'hang') return;
        if (index % 2 === 0) exchange.result({ content: [] });
        else {
          exchange.stream()({ jsonrpc: '2.0', id: exchange.id, result: { content: [] } });
          exchange.response.end();
        }
      },
    });
    onEnd(() => upstream.close());
    const before = activeHandles();
    const { call, server } = startServer(http(upstream.url));
    expect(await flood(call, 'echo')).toEqual(expected);
    await until(() => upstream.cancelled.length === CALLS / 10, 'the server heard of each');
    expect(await upstream.connections()).toBeLessThanOrEqual(3 * AT_ONCE);
    await server.close();
    let left = Infinity;
    await until(() => {
      void upstream.connections().then((count) => (left = count));
      return left === 0 && activeHandles() <= before;
    }, 'no socket is left');
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('over stdio', { timeout: 60_000 }, async () => {
    const before = activeHandles();
    const { call, server } = startServer(stdio([FAULTY]));
    expect(await flood(call, 'echo')).toEqual(expected);
    await server.close();
    expect(livingGroups()).toBe(0);
    await until(() => activeHandles() <= before, 'no pipe and no process is left');
  });
});
