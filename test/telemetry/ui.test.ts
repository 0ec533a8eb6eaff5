// The page's routes without a browser: headers, who sees what, and that nobody is kept waiting.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { UiSnapshot } from '../../src/telemetry/ui-snapshot.js';
import { everything, startUi, state, stopUi, type UiServer } from './fixtures/ui-server.js';
import { result } from './fixtures/results.js';

let server: UiServer;

beforeEach(async () => {
  server = await startUi([state('a'), state('b')]);
});

afterEach(async () => {
  await stopUi(server);
});

/** Opens the events and reads as they come. */
async function watch(headers: Record<string, string> = {}) {
  const controller = new AbortController();
  const response = await fetch(`${server.url}/ui/events`, { headers, signal: controller.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  const next = async (): Promise<UiSnapshot | undefined> => {
    while (!rest.includes('\n\n')) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      rest += value;
    }
    const [event = '', ...others] = rest.split('\n\n');
    rest = others.join('\n\n');
    expect(event).toMatch(/^event: snapshot\ndata: /);
    return JSON.parse(event.slice(event.indexOf('data: ') + 6)) as UiSnapshot;
  };
  return { response, next, leave: () => controller.abort() };
}

describe('the page', () => {
  test('and all it loads may load nothing else and be framed by nobody', async () => {
    const html = await (await fetch(`${server.url}/ui`)).text();
    const assets = [...html.matchAll(/(?:src|href)="(ui\/[^"]+)"/g)].map((match) => match[1]!);
    expect(assets).toEqual(['ui/page.css', 'ui/page.js']);
    for (const path of ['ui', ...assets, 'ui/card.js', 'ui/charts.js', 'ui/events.js']) {
      const { status, headers } = await fetch(`${server.url}/${path}`);
      expect(status, path).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(html).not.toMatch(/<script(?![^>]*src=)|style=|https?:/);
  });

  test('is only what stands in its folder', async () => {
    expect((await fetch(`${server.url}/ui/..%2fui.ts`)).status).toBe(404);
    expect((await fetch(`${server.url}/ui/page.html`)).status).toBe(404);
  });
});

describe('its events', () => {
  test('begin with the state of now', async () => {
    server.metrics.callDone('a', result('a', 'TOOL_TIMEOUT'));
    const { response, next, leave } = await watch();
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const snapshot = await next();
    expect(snapshot?.tools?.map(({ name, recent }) => [name, recent?.calls])).toEqual([
      ['a', 1],
      ['b', undefined],
    ]);
    expect(snapshot?.failures).toEqual([
      {
        tool: 'a',
        code: 'TOOL_TIMEOUT',
        category: 'timeout',
        count: 1,
        last_at: expect.any(Number) as number,
      },
    ]);
    leave();
  });

  test('show each viewer the tools that are theirs', async () => {
    server.metrics.callDone('a', result('a', 'TOOL_TIMEOUT'));
    server.metrics.callDone('b', result('b', 'TOOL_TIMEOUT'));
    server.visible = (key) => {
      if (key === 'admin') return everything;
      return key === 'b-only' ? (tool) => tool === 'b' : undefined;
    };
    const seen = async (headers: Record<string, string>) => {
      const { next, leave } = await watch(headers);
      const snapshot = await next();
      leave();
      return [
        snapshot?.tools?.map(({ name }) => name),
        snapshot?.failures.map(({ tool }) => tool).sort(),
      ];
    };
    expect(await seen({ 'x-api-key': 'admin' })).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(await seen({ 'x-api-key': 'b-only' })).toEqual([['b'], ['b']]);
    expect(await seen({})).toEqual([undefined, []]);
  });

  test('cost nothing while nobody watches', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { next, leave } = await watch();
      await next();
      expect(vi.getTimerCount()).toBe(1);
      leave();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
    } finally {
      vi.useRealTimers();
    }
  });

  test('end when the gateway drains', async () => {
    const { next } = await watch();
    await next();
    await server.app.close();
    expect(await next()).toBeUndefined();
  });

  test('are for fifty at a time; who leaves makes room', async () => {
    const viewers = await Promise.all(Array.from({ length: 50 }, () => watch()));
    expect(viewers.map(({ response }) => response.status)).toEqual(new Array(50).fill(200));
    const refused = await watch();
    expect(refused.response.status).toBe(503);
    expect(refused.response.headers.get('retry-after')).toBe('30');
    for (const { leave } of viewers) leave();
    await vi.waitFor(async () => {
      const { response, leave } = await watch();
      leave();
      expect(response.status).toBe(200);
    });
  });
});
