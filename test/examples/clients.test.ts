// The same client loop in four languages against a real gateway process: each must wait, fix, fall
// back and stop alike. A language whose runtime is not on the machine is skipped.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
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
    env: { TOOLGATE_URL: url, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' },
  });
  expect(finished).toMatchObject({ code: 0, stderr: '' });
  return storyOf(finished.stdout);
}

describe.each(LANGUAGES)('the client loop in $name', (language) => {
  const able = has(...language.needs);

  describe('against the demo', () => {
    let gateway: GatewayProcess;
    beforeAll(async () => {
      gateway = await startGateway();
    });
    afterAll(() => gateway.stop());

    it.runIf(able)('reads every kind of outcome and does what it says', async () => {
      const story = await tell(language, gateway.url);
      expect(story).toEqual({
        plain: [expect.stringMatching(/^ok \{.*"city": ?"Oslo"/)],
        mistyped: ['fix (TOOL_ARGUMENT_ERROR)', expect.stringMatching(/^ok .*"city": ?"Bergen"/)],
        misnamed: ['fix (TOOL_NOT_FOUND)', expect.stringMatching(/^ok .*"city": ?"Tromsø"/)],
        flaky: [expect.stringMatching(/^ok /)],
        broken: [
          expect.stringMatching(/^wait \d+ ms \(UPSTREAM_SERVER_ERROR\)$/),
          expect.stringMatching(/^wait \d+ ms \(UPSTREAM_SERVER_ERROR\)$/),
          expect.stringMatching(/^wait \d+ ms \(UPSTREAM_SERVER_ERROR\)$/),
          'fall back to demo.weather (UPSTREAM_SERVER_ERROR)',
          expect.stringMatching(/^ok /),
        ],
        limited: ['fall back to demo.weather (TOOL_RATE_LIMITED)', expect.stringMatching(/^ok /)],
        declined: ['declined: This fare is non-refundable.'],
        charge: ['stop, it may have happened, ask a person (TOOL_TRANSPORT_ERROR)'],
        forbidden: [expect.stringMatching(/^stop \(UPSTREAM_FORBIDDEN\): /)],
      });
    });
  });

  describe('against a tool that admits two calls in 400 ms', () => {
    let upstream: Server;
    let folder: string;
    let gateway: GatewayProcess;
    let executed = 0;

    beforeAll(async () => {
      upstream = createServer((_request, response) => {
        executed++;
        response.setHeader('content-type', 'application/json').end('{"done":true}');
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => upstream.once('listening', resolve));
      const { port } = upstream.address() as AddressInfo;
      folder = await mkdtemp(join(tmpdir(), 'toolgate-example-'));
      const config = join(folder, 'tools.json');
      await writeFile(
        config,
        JSON.stringify({
          version: 1,
          tools: [
            {
              name: 'narrow',
              description: 'Two calls in 400 ms.',
              input_schema: { type: 'object' },
              rate_limit: { calls: 2, per_ms: 400, burst: 2 },
              http: { method: 'GET', url: `http://127.0.0.1:${port}/` },
            },
          ],
        }),
      );
      const calls = ['a', 'b', 'c', 'd'].map((id) => ({ id, tool: 'narrow', arguments: {} }));
      await writeFile(join(folder, 'calls.json'), JSON.stringify(calls));
      gateway = await startGateway({ TOOLGATE_CONFIG: config });
    });
    afterAll(async () => {
      await gateway.stop();
      upstream.close();
      await rm(folder, { recursive: true });
    });

    it.runIf(able)('waits as long as it is told, then gets through at once', async () => {
      const story = await tell(language, gateway.url, join(folder, 'calls.json'));
      const waits = Object.values(story).filter((words) => words.length > 1);
      expect(Object.values(story).map((words) => words.at(-1))).toEqual(
        Array.from({ length: 4 }, () => expect.stringMatching(/^ok /)),
      );
      expect(waits).toHaveLength(2);
      for (const words of waits) {
        expect(words).toHaveLength(2);
        expect(words[0]).toMatch(/^wait \d+ ms \(TOOL_RATE_LIMITED\)$/);
      }
      expect(executed).toBe(4);
    });
  });
});
