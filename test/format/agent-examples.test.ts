// The agents of examples/agent, each a process of its own, against a scripted provider and a real
// gateway: the model's words go in as they are, and what comes back is enough to correct itself.
import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository, startGateway, type GatewayProcess } from '../examples/gateway.js';
import { has, run } from '../examples/run.js';

interface StandIn {
  startStandIn: () => Promise<{ url: string; server: Server }>;
}

const folder = join(repository, 'examples', 'agent');
const agents = readdirSync(folder).filter((name) => /agent\.(ts|py)$/.test(name));

let gateway: GatewayProcess;
let provider: { url: string; server: Server };

beforeAll(async () => {
  // Not a static import: examples are a program of their own, with a folder root of their own.
  const path = pathToFileURL(join(folder, 'stand-in.ts')).href;
  const { startStandIn } = (await import(path)) as StandIn;
  [gateway, provider] = await Promise.all([startGateway(), startStandIn()]);
}, 30_000);

afterAll(async () => {
  provider.server.close();
  await gateway.stop();
});

it('has one agent for each provider and language', () => {
  expect(agents).toHaveLength(8);
});

describe.each(agents)('%s', (name) => {
  const isPython = name.endsWith('.py');
  const command = isPython
    ? (['python3'] as const)
    : ([process.execPath, '--import', 'tsx'] as const);

  it('is under 100 lines and needs nothing but its language', () => {
    const source = readFileSync(join(folder, name), 'utf8');
    expect(source.split('\n').length).toBeLessThan(100);
    const imports = [...source.matchAll(/^(?:import .*from '(.*)'|import (\w[\w.]*))/gm)].map(
      (match) => match[1] ?? match[2],
    );
    for (const one of imports)
      expect(one).toMatch(isPython ? /^(json|os|sys|time|uuid|urllib\.request)$/ : /^node:/);
  });

  it.skipIf(isPython && !has('python3'))(
    'corrects its arguments, takes a refusal and ends',
    async () => {
      const finished = await run([...command, name], {
        cwd: folder,
        env: {
          TOOLGATE_URL: gateway.url,
          OPENAI_BASE_URL: `${provider.url}/v1`,
          ANTHROPIC_BASE_URL: provider.url,
          GEMINI_BASE_URL: provider.url,
          PYTHONDONTWRITEBYTECODE: '1',
        },
      });
      expect(finished).toMatchObject({ code: 0, stderr: '' });
      const [weather = '', booking = ''] = finished.stdout.split('\n');
      expect(weather).toMatch(/^Weather: \{.*"city":"Oslo".*"days":2.*\}$/);
      expect(booking).toBe(
        'Booking: TOOL_DECLINED: The tool worked and said no; do not send it again; ' +
          'this is the answer, tell the user. booking_not_cancellable: This fare is non-refundable.',
      );
    },
  );
});
