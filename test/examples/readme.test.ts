// The README shows real outputs: every curl in it is run against a fresh gateway and must answer
// with what is printed below it, but for ids and durations.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository, startGateway, type GatewayProcess } from './gateway.js';
import { has, run } from './run.js';
import { lasting, readPage, shownIn, SHOWN_URL } from './shown.js';

const readme = await readPage('README.md');
const shown = shownIn(readme);

describe.runIf(has('bash', 'curl'))('the README', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());

  it('shows one curl for the start', () => {
    expect(shown).toHaveLength(1);
  });

  it.each(shown)('prints what it shows: $command', async ({ command, output }) => {
    expect(command).toContain(SHOWN_URL);
    const finished = await run(['bash', '-c', command.replace(SHOWN_URL, gateway.url)], {
      cwd: repository,
    });
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    expect(lasting(finished.stdout)).toBe(lasting(output));
  });

  it('names a demo tool that shows each category', async () => {
    const post = async (...calls: object[]): Promise<(string | undefined)[]> => {
      const answer = await fetch(`${gateway.url}/v1/tool-calls`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ calls }),
      });
      const body = (await answer.json()) as { results: { error_info?: { category: string } }[] };
      return body.results.map((result) => result.error_info?.category);
    };
    const rows = [...readme.matchAll(/^\| `(\w+)` +\| [^|]*\| ([^|]*) \|$/gm)];
    const claimed = Object.fromEntries(rows.map(([, name, tools]) => [name!, tools!]));
    const once = Object.entries(claimed).flatMap(([category, tools]) =>
      [...tools.matchAll(/`(demo\.\w+)`(?=,|$)/g)].map(([, tool]) => ({ category, tool: tool! })),
    );
    expect(once.length).toBeGreaterThan(8);
    const args = { amount: 1, booking: 'B-1' };
    const seen = await post(...once.map(({ tool }) => ({ tool, arguments: args })));
    expect(once.map(({ tool }, index) => `${tool} ${String(seen[index])}`)).toEqual(
      once.map(({ tool, category }) => `${tool} ${category}`),
    );
    // Those that take more than one call.
    const times = (tool: string, count: number) => Array.from({ length: count }, () => ({ tool }));
    expect(claimed['rate_limit']).toContain('`demo.twice_a_minute` (third call)');
    expect(await post(...times('demo.twice_a_minute', 3))).toContain('rate_limit');
    expect(claimed['bulkhead_full']).toBe('`demo.one_at_a_time` (two at once)');
    expect(await post(...times('demo.one_at_a_time', 2))).toContain('bulkhead_full');
    expect(claimed['circuit_open']).toBe('`demo.broken` (sixth call)');
    for (let call = 0; call < 4; call++) await post({ tool: 'demo.broken' });
    expect(await post({ tool: 'demo.broken' })).toEqual(['circuit_open']);
    expect(claimed['validation']).toContain('`demo.weather` without a city');
    expect(await post({ tool: 'demo.weather' })).toEqual(['validation']);
    expect(claimed['cancelled']).toBe('a call that depends on one that failed');
    const dependent = { id: 'b', tool: 'demo.weather', depends_on: ['a'] };
    const chain = await post({ id: 'a', tool: 'demo.forbidden' }, dependent);
    expect(chain).toEqual(['permission', 'cancelled']);
  });
});
