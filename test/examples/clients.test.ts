// The same client loop in four languages against a real gateway process: each must wait, fix, fall
// back and stop alike. A language whose runtime is not on the machine is skipped.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, repository, type GatewayProcess } from './gateway.js';
import { has, run } from './run.js';

interface Language {
  readonly name: string;
  readonly needs: readonly string[];
  readonly command: readonly [string, ...string[]];
}

const LANGUAGES: readonly Language[] = [
  { name: 'curl', needs: ['bash', 'curl', 'jq'], command: ['bash', 'client.sh'] },
  { name: 'python', needs: ['python3'], command: ['python3', 'client.py'] },
  { name: 'go', needs: ['go'], command: ['go', 'run', 'client.go'] },
  {
    name: 'typescript',
    needs: [],
    command: [process.execPath, '--import', 'tsx', 'client.ts'],
  },
];

/** Lines of one run, by call id, in the order they were printed. */
function storyOf(stdout: string): Record<string, string[]> {
  const story: Record<string, string[]> = {};
  for (const line of stdout.trim().split('\n')) {
    const [, id, word] = /^([\w-]+): (.*)$/.exec(line) ?? [];
    if (id === undefined || word === undefined) throw new Error(`not a line of the loop: ${line}`);
    (story[id] ??= []).push(word);
  }
  return story;
}

async function tell(language: Language, url: string, ...args: string[]) {
  const finished = await run([...language.command, ...args], {
    cwd: join(repository, 'examples', language.name),
    env: { TOOLGATE_URL: url, GOTOOLCHAIN: 'local' },
  });
  expect(finished).toMatchObject({ code: 0, stderr: '' });
  return storyOf(finished.stdout);
}

/** Counts what was executed, by path. */
const executed = new Map<string, number>();
const upstream = createServer((request, response) => {
  const path = request.url ?? '';
  executed.set(path, (executed.get(path) ?? 0) + 1);
  response.setHeader('content-type', 'application/json').end('{"done":true}');
});

/** A configuration with one tool per language that admits two calls in 400 ms. */
function narrowTools(port: number): string {
  const tools = LANGUAGES.map(({ name }) => ({
    name,
    description: 'Two calls in 400 ms.',
    input_schema: { type: 'object' },
    rate_limit: { calls: 2, per_ms: 400, burst: 2 },
    http: { method: 'GET', url: `http://127.0.0.1:${port}/${name}` },
  }));
  return JSON.stringify({ version: 1, tools });
}

let folder: string;
let demo: GatewayProcess;
let narrow: GatewayProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-example-'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const config = join(folder, 'tools.json');
  await writeFile(config, narrowTools((upstream.address() as AddressInfo).port));
  [demo, narrow] = await Promise.all([startGateway(), startGateway({ TOOLGATE_CONFIG: config })]);
}, 40_000);

afterAll(async () => {
  await Promise.all([demo.stop(), narrow.stop()]);
  upstream.close();
  await rm(folder, { recursive: true });
});

describe.each(LANGUAGES)('the client loop in $name', (language) => {
  const able = has(...language.needs);
  const ok = expect.stringMatching(/^ok /) as unknown;

  it.runIf(able)('reads every kind of outcome of the demo and does what it says', async () => {
    const { broken, ...story } = await tell(language, demo.url);
    expect(story).toEqual({
      plain: [expect.stringMatching(/^ok \{.*"city": ?"Oslo"/)],
      mistyped: ['fix (TOOL_ARGUMENT_ERROR)', expect.stringMatching(/^ok .*"city": ?"Bergen"/)],
      misnamed: ['fix (TOOL_NOT_FOUND)', expect.stringMatching(/^ok .*"city": ?"Tromsø"/)],
      limited: ['fall back to demo.weather (TOOL_RATE_LIMITED)', ok],
      declined: ['declined: This fare is non-refundable.'],
      charge: ['stop, it may have happened, ask a person (TOOL_TRANSPORT_ERROR)'],
      forbidden: [expect.stringMatching(/^stop \(UPSTREAM_FORBIDDEN\): /)],
    });
    // The first loop waits and tries again, until the breaker opens for those after it.
    expect(broken?.slice(-2)).toEqual([
      expect.stringMatching(
        /^fall back to demo\.weather \((UPSTREAM_SERVER_ERROR|TOOL_CIRCUIT_OPEN)\)$/,
      ),
      ok,
    ]);
  });

  it.runIf(able)('waits as long as it is told, then gets through at once', async () => {
    const calls = ['a', 'b', 'c', 'd'].map((id) => ({ id, tool: language.name, arguments: {} }));
    const file = join(folder, `${language.name}.json`);
    await writeFile(file, JSON.stringify(calls));
    const story = await tell(language, narrow.url, file);
    const wait = expect.stringMatching(/^wait \d+ ms \(TOOL_RATE_LIMITED\)$/) as unknown;
    expect(Object.values(story)).toEqual([[ok], [ok], [wait, ok], [wait, ok]]);
    expect(executed.get(`/${language.name}`)).toBe(4);
  });
});
