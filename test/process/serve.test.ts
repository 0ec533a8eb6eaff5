// The process as an operator meets it: start, faults, drain on a signal, reload, the admin routes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let upstream: ScriptedUpstream;
const running = new Set<Served>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-test-'));
  upstream = await startScriptedUpstream();
});

afterEach(async () => {
  for (const served of running) {
    served.child.kill('SIGKILL');
    await served.exit;
  }
  running.clear();
  upstream.requests.length = 0;
});

afterAll(async () => {
  await upstream.close();
  await rm(folder, { recursive: true });
});

interface Served {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
  readonly url: string;
}

/** Starts the command line as it is installed. */
function start(args: string[], env: Record<string, string> = {}): Omit<Served, 'url'> {
  const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'info', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  return { child, output: () => output, exit };
}

async function serve(env: Record<string, string> = {}): Promise<Served> {
  const started = start(['serve'], env);
  await vi.waitFor(
    () => {
      expect(started.output()).toMatch(/Toolgate answers on http/);
    },
    { timeout: 15_000, interval: 20 },
  );
  const [, url = ''] = /Toolgate answers on (http\S+)/.exec(started.output()) ?? [];
  const served = { ...started, url };
  running.add(served);
  return served;
}

async function config(name: string, more: object = {}): Promise<string> {
  const file = join(folder, name);
  const tool = {
    name: 'get',
    description: 'get',
    input_schema: { type: 'object' },
    retry: { max_attempts: 1 },
    http: { method: 'GET', url: `${upstream.url}/` },
  };
  await writeFile(file, JSON.stringify({ version: 1, tools: [tool], ...more }));
  return file;
}

/** Posts over a keep-alive connection of its own. */
async function post(
  url: string,
  agent: Agent,
  tool = 'get',
): Promise<{ status: number; body: string; connection: string | undefined }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      `${url}/v1/tool-calls`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            body,
            connection: response.headers.connection,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(JSON.stringify({ calls: [{ tool }] }));
  });
}

describe('serve', () => {
  it('without a configuration serves the demo and prints a curl line that works', async () => {
    const { url, output } = await serve({ TOOLGATE_CONFIG: '' });
    const [, payload = ''] = /-d '(\{.*\})'/.exec(output()) ?? [];
    const response = await fetch(`${url}/v1/tool-calls`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: payload,
    });
    const { results } = (await response.json()) as { results: { status: string }[] };
    expect(results.map(({ status }) => status)).toEqual(['ok', 'error']);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a port that is none', { PORT: 'http' }, /PORT must be/],
    ['an open door', { HOST: '0.0.0.0' }, /TOOLGATE_ALLOW_ANONYMOUS/],
    [
      'a file that is not there',
      { TOOLGATE_CONFIG: '/nowhere/toolgate.yaml' },
      /\/nowhere\/toolgate\.yaml:1:1/,
    ],
  ])('%s: one line, exit code 2', async (_name, env, line) => {
    const { output, exit } = start(['serve'], env);
    expect(await exit).toBe(2);
    expect(output()).toMatch(line);
    expect(output().trimEnd().split('\n')).toHaveLength(1);
  });

  it('a faulty configuration: one line per fault with its place, exit code 2', async () => {
    const file = join(folder, 'faulty.yaml');
    await writeFile(
      file,
      'version: 1\ntools:\n  - name: "no good"\n    http: { method: GET, url: "ftp://x" }\n    timout_ms: 5\n',
    );
    const { output, exit } = start(['check', file]);
    expect(await exit).toBe(2);
    const lines = output().trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(3);
    for (const line of lines) expect(line).toMatch(/faulty\.yaml:\d+:\d+ /);
    expect(output()).toMatch(/:5:\d+ tools\[0\]\.timout_ms: .*timeout_ms/);
  });
});

describe('SIGTERM', () => {
  it('delivers what is in flight, takes nothing new, closes idle connections and exits 0', async () => {
    const served = await serve({ TOOLGATE_CONFIG: await config('drain.json') });
    const agent = new Agent({ keepAlive: true });
    const idle = new Agent({ keepAlive: true });
    upstream.script(
      { status: 200, body: { ok: 1 } },
      { status: 200, body: { late: true }, delayMs: 700 },
    );
    await post(served.url, idle);
    const inFlight = post(served.url, agent);
    await vi.waitFor(() => {
      expect(upstream.requests).toHaveLength(2);
    });
    served.child.kill('SIGTERM');
    await vi.waitFor(async () => {
      expect((await fetch(`${served.url}/readyz`)).status).toBe(503);
    });
    const refused = await post(served.url, new Agent());
    expect(refused).toMatchObject({ status: 503, connection: 'close' });
    expect(JSON.parse(refused.body).error_info).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      retryable: true,
      effect: 'not_sent',
    });
    const answer = await inFlight;
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"late":true');
    expect(await served.exit).toBe(0);
    agent.destroy();
    idle.destroy();
  });

  it('cancels what outlasts drain_timeout_ms, and still answers it', async () => {
    const served = await serve({
      TOOLGATE_CONFIG: await config('short.json', { server: { drain_timeout_ms: 200 } }),
    });
    upstream.script({ hang: true });
    const inFlight = post(served.url, new Agent());
    await vi.waitFor(() => {
      expect(upstream.requests).toHaveLength(1);
    });
    served.child.kill('SIGTERM');
    const answer = await inFlight;
    expect(JSON.parse(answer.body).results[0].error_info).toMatchObject({
      code: 'TOOL_CANCELLED',
      effect: 'unknown',
    });
    expect(await served.exit).toBe(0);
  });

  /** An MCP server that does not go by itself: until it is told to talk it answers nothing. */
  const STUBBORN = `
    const { writeFileSync } = require('node:fs');
    writeFileSync(process.argv[1], String(process.pid));
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1000);
    const results = {
      initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
      'tools/list': { tools: [] },
    };
    if (process.argv[2] === 'talks')
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        const result = results[method];
        const answer = result ? { result } : { error: { code: -32601, message: 'no' } };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      });`;

  /** A configuration with that server, and where it tells its pid. */
  async function withStubbornServer(
    name: string,
    talks: boolean,
  ): Promise<{ file: string; pid: () => Promise<number> }> {
    const pidFile = join(folder, `${name}.pid`);
    const command = [process.execPath, '-e', STUBBORN, pidFile, ...(talks ? ['talks'] : [])];
    const file = await config(`${name}.json`, { mcp_servers: [{ name: 'stubborn', command }] });
    const pid = (): Promise<number> =>
      vi.waitFor(
        async () => {
          const text = await readFile(pidFile, 'utf8');
          expect(text).not.toBe('');
          return Number(text);
        },
        { timeout: 15_000, interval: 20 },
      );
    return { file, pid };
  }

  const expectGone = (pid: number): Promise<void> =>
    vi.waitFor(() => {
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    });

  it('while MCP servers are being started: exit 0, and no child is left', async () => {
    const { file, pid } = await withStubbornServer('starting', false);
    const { child, output, exit } = start(['serve'], { TOOLGATE_CONFIG: file });
    const server = await pid();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    await expectGone(server);
    expect(output()).not.toContain('Toolgate answers');
  });

  it('a start that fails leaves no child either', async () => {
    const { file, pid } = await withStubbornServer('failing', true);
    const taken = new URL(upstream.url).port;
    const { exit, output } = start(['serve'], { TOOLGATE_CONFIG: file, PORT: taken });
    const server = await pid();
    expect(await exit).toBe(2);
    expect(output()).toContain('cannot listen');
    await expectGone(server);
  });

  it('a second signal exits at once', async () => {
    const served = await serve({ TOOLGATE_CONFIG: await config('twice.json') });
    upstream.script({ hang: true });
    const inFlight = post(served.url, new Agent()).catch(() => 'gone');
    await vi.waitFor(() => {
      expect(upstream.requests).toHaveLength(1);
    });
    served.child.kill('SIGTERM');
    await vi.waitFor(async () => {
      expect((await fetch(`${served.url}/readyz`)).status).toBe(503);
    });
    served.child.kill('SIGTERM');
    expect(await served.exit).not.toBe(0);
    expect(await inFlight).toBe('gone');
  });
});

describe('changing a running gateway', () => {
  const key = { 'x-api-key': 'admin-key', 'content-type': 'application/json' };
  const admin = (url: string, method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${url}/admin/${path}`, {
      method,
      headers: body === undefined ? { 'x-api-key': 'admin-key' } : key,
      ...(body && { body: JSON.stringify(body) }),
    });
  const names = async (url: string): Promise<string[]> =>
    ((await (await fetch(`${url}/v1/tools`)).json()) as { tools: { name: string }[] }).tools.map(
      ({ name }) => name,
    );
  const entry = {
    description: 'more',
    input_schema: { type: 'object' },
    http: { method: 'GET', url: 'http://127.0.0.1:9/' },
  };

  it.each(['SIGHUP', 'POST /admin/reload', 'a change of the file'])(
    '%s reads the file again; a faulty one changes nothing',
    async (how) => {
      const file = await config(`reload-${how.length}.json`);
      const { url, child, output } = await serve({
        TOOLGATE_CONFIG: file,
        TOOLGATE_ADMIN_KEY: 'admin-key',
      });
      const reload = async (): Promise<void> => {
        if (how === 'SIGHUP') child.kill('SIGHUP');
        else if (how.startsWith('POST')) await admin(url, 'POST', 'reload');
      };
      const good = await readFile(file, 'utf8');
      const audits = (): number => output().split('"action":"reload"').length - 1;
      await writeFile(file, good.replace('"description":"get"', '"descripton":"get"'));
      await reload();
      await vi.waitFor(
        () => {
          expect(audits()).toBeGreaterThan(0);
        },
        { timeout: 5000 },
      );
      expect(output()).toMatch(/"action":"reload".*"result":"refused"/);
      // A reload may have nobody to answer to: the log says why.
      await vi.waitFor(() => {
        expect(output()).toMatch(/"event":"config_fault","problem":"[^"]*:1:\d+ tools\[0\]/);
      });
      expect(await names(url)).toEqual(['get']);
      await writeFile(file, good.replace('"name":"get"', '"name":"got"'));
      await reload();
      await vi.waitFor(
        async () => {
          expect(await names(url)).toEqual(['got']);
        },
        { timeout: 5000 },
      );
    },
  );

  it('tools are put and deleted, breakers forced, the log level set; faults are told', async () => {
    const { url, output } = await serve({
      TOOLGATE_CONFIG: await config('admin.json'),
      TOOLGATE_ADMIN_KEY: 'admin-key',
    });
    expect((await admin(url, 'PUT', 'tools/more', entry)).status).toBe(200);
    expect(await names(url)).toEqual(['get', 'more']);
    const faulty = await admin(url, 'PUT', 'tools/worse', { ...entry, timeout_ms: 'soon' });
    expect(faulty.status).toBe(422);
    const { error_info } = (await faulty.json()) as {
      error_info: { code: string; details: { errors: object } };
    };
    expect(error_info.code).toBe('TOOL_REGISTRATION_FAILED');
    expect(Object.keys(error_info.details.errors)).toEqual(['tools[2].timeout_ms']);
    expect((await admin(url, 'PUT', 'tools/get/breaker', { state: 'open' })).status).toBe(200);
    const refused = JSON.parse((await post(url, new Agent())).body);
    expect(refused.results[0].error_info.code).toBe('TOOL_CIRCUIT_OPEN');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await admin(url, 'PUT', 'tools/get/breaker', { state: 'closed' })).status).toBe(200);
    upstream.script({ status: 200, body: {} });
    expect(JSON.parse((await post(url, new Agent())).body).results[0].status).toBe('ok');
    expect((await admin(url, 'PUT', 'tools/get/breaker', { state: 'ajar' })).status).toBe(400);
    expect((await admin(url, 'PUT', 'tools/more', { ...entry, breaker: false })).status).toBe(200);
    expect((await admin(url, 'PUT', 'tools/more/breaker', { state: 'open' })).status).toBe(422);
    const twice = `{"state": "open", "state": "closed"}`;
    const unclear = await fetch(`${url}/admin/tools/get/breaker`, {
      method: 'PUT',
      headers: key,
      body: twice,
    });
    expect(unclear.status).toBe(400);
    expect(await unclear.text()).toContain('"/state":"is given more than once"');
    expect((await admin(url, 'DELETE', 'tools/more')).status).toBe(200);
    expect((await admin(url, 'DELETE', 'tools/more')).status).toBe(404);
    const secret = { ...entry, description: 'key: ${TOOLGATE_ADMIN_KEY}' };
    expect((await admin(url, 'PUT', 'tools/more', secret)).status).toBe(200);
    const shown = (await (await fetch(`${url}/v1/tools/more`)).json()) as { description: string };
    expect(shown.description).toBe('key: ${TOOLGATE_ADMIN_KEY}');
    const needsGet = {
      ...entry,
      http: { method: 'POST', url: 'http://127.0.0.1:9/' },
      verify: { tool: 'get', arguments: {}, confirmed_when: { pointer: '/ok', equals: true } },
    };
    expect((await admin(url, 'PUT', 'tools/more', needsGet)).status).toBe(200);
    expect((await admin(url, 'DELETE', 'tools/get')).status).toBe(422);
    expect((await admin(url, 'DELETE', 'tools/more')).status).toBe(200);
    expect(await names(url)).toEqual(['get']);
    expect((await admin(url, 'PUT', 'log-level', { level: 'loud' })).status).toBe(400);
    expect((await admin(url, 'PUT', 'log-level', { level: 'debug' })).status).toBe(200);
    await vi.waitFor(() => {
      expect(output()).toMatch(
        /"event":"audit","action":"put_tool","actor":"admin","result":"applied"/,
      );
    });
  });
});

describe('the command line', () => {
  it.each<[string[], number, RegExp]>([
    [['call', 'demo.weather', '{"city":"Oslo"}'], 0, /"forecast":"light rain"/],
    [['call', 'demo.weather'], 1, /TOOL_ARGUMENT_ERROR/],
    [['call', 'demo.weather', '{'], 1, /TOOL_ARGUMENT_ERROR/],
    [['call', 'demo.cancel_booking', '{"booking":"b"}'], 3, /booking_not_cancellable/],
    [['tools'], 0, /demo\.weather +Forecast/],
    [['check', 'toolgate.yaml'], 0, /toolgate\.yaml: ok/],
    [['check', 'package.json'], 2, /package\.json:2:3 name: /],
    [['check', '--json', 'package.json'], 2, /^\{"ok":false,"faults":\[\{"file":"package\.json"/],
    [['tools', '--config', 'toolgate.yaml'], 0, /demo\.weather +Forecast/],
    [['errors', 'TOOL_TIMEOUT'], 0, /timeout/],
    [['errors', 'NOPE'], 2, /no code "NOPE"/],
    [['errors', 'constructor'], 2, /no code "constructor"/],
    [['nope'], 2, /unknown command/],
    [['--help'], 0, /serve/],
  ])('toolgate %j exits %i', async (args, code, pattern) => {
    const { output, exit } = start(args, { TOOLGATE_CONFIG: '' });
    expect(await exit).toBe(code);
    expect(output()).toMatch(pattern);
  });

  it('a module far from the package imports `toolgate/errors` of the running gateway', async () => {
    const file = join(folder, 'far.json');
    const source =
      "import { ToolRefusal } from 'toolgate/errors';\n" +
      "export default () => { throw new ToolRefusal('closed', 'Not on Sundays.'); };\n";
    await writeFile(join(folder, 'far.mjs'), source);
    const tool = { name: 'far', description: 'far', input_schema: {}, module: './far.mjs' };
    await writeFile(file, JSON.stringify({ version: 1, tools: [tool] }));
    const { output, exit } = start(['call', 'far', '{}', '--config', file]);
    expect(await exit).toBe(3);
    expect(output()).toContain('Not on Sundays.');
  });

  it('init writes a configuration that passes check, and never over a file', async () => {
    const file = join(folder, 'fresh.yaml');
    expect(await start(['init', file]).exit).toBe(0);
    expect(await start(['check', file]).exit).toBe(0);
    expect(await start(['init', file]).exit).toBe(2);
  });
});
