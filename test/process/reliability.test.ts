// The process under abuse: faults of the upstream in turns, reloads and signals under load, clients
// that leave, stall, send half a request or none of HTTP. Counted at the client and at the upstream.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CHAOS, runChaos } from '../../bench/reliability/lib/chaos-run.js';
import { ADMIN_KEY, GatewayProcess } from '../../bench/reliability/lib/gateway-process.js';
import { sleep } from '../../bench/reliability/lib/pace.js';
import { Random } from '../../bench/reliability/lib/random.js';
import { runSoak } from '../../bench/reliability/lib/soak-run.js';
import { type Answer, type Call, post, WIRES } from '../../bench/reliability/lib/wire.js';
import { type FaultyServer, hang, json, startFaultyServer } from '../support/faulty-server.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LANES = 15;

/** Waits for what a busy machine may take its time for. */
const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 8_000, interval: 20 });

let folder: string;
let upstream: FaultyServer;
const gateways: GatewayProcess[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-reliability-'));
  upstream = await startFaultyServer(json({}));
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const gateway of gateways.splice(0)) await gateway.kill();
  upstream.requests.length = 0;
  upstream.behave(json({}));
});

afterAll(async () => {
  await upstream.close();
  await rm(folder, { recursive: true });
});

const tool = (name: string, more: object = {}): object => ({
  name,
  description: 'same',
  input_schema: { type: 'object' },
  retry: { max_attempts: 1 },
  http: { method: 'GET', url: `${upstream.origin}/${name}` },
  ...more,
});

interface Config {
  readonly tools?: readonly object[];
  readonly server?: object;
}

let started = 0;

/** Starts one; the caller ends it. */
async function launch(config: Config, env: Record<string, string> = {}): Promise<GatewayProcess> {
  started += 1;
  const file = join(folder, `${started}.json`);
  return GatewayProcess.start(file, { version: 1, tools: [tool('get')], ...config }, env);
}

/** Starts one for this test. */
async function start(
  config: Config = {},
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const gateway = await launch(config, env);
  gateways.push(gateway);
  return gateway;
}

/** Answers as a booking desk would, after a while. */
function answerSlowly(random = new Random(1)): void {
  upstream.behave((socket, request) => {
    setTimeout(() => {
      json({ target: request.target })(socket, request);
    }, random.below(60));
  });
}

/** A connection that bytes are written to as they are; what comes back is collected. */
function open(gateway: GatewayProcess, bytes = ''): { socket: Socket; received: () => string } {
  const socket = connect(gateway.port, '127.0.0.1');
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
  socket.write(bytes);
  sockets.push(socket);
  return { socket, received: () => received };
}

function requestText(body: string, headers: readonly string[] = []): string {
  const lines = [
    'POST /v1/tool-calls HTTP/1.1',
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const BATCH = JSON.stringify({ calls: [{ tool: 'get' }] });

async function batchesInFlight(gateway: GatewayProcess): Promise<number> {
  const response = await fetch(`${gateway.origin}/healthz`);
  return ((await response.json()) as { batches_in_flight: number }).batches_in_flight;
}

/** A request is served, as to anybody. */
async function expectService(gateway: GatewayProcess): Promise<void> {
  const agent = new Agent();
  const calls = [{ id: 'a', tool: 'get', arguments: {} }];
  const { results } = await post(gateway.origin, calls, { agent });
  expect(results.map(({ code }) => code)).toEqual(['ok']);
}

/** Nothing is left of what was abused: no batch, no upstream connection in use, no timer. */
async function expectRest(gateway: GatewayProcess): Promise<void> {
  await eventually(async () => {
    expect(await batchesInFlight(gateway)).toBe(0);
    const { timers, complaints } = await gateway.inspect();
    expect({ timers, complaints }).toEqual({ timers: 0, complaints: [] });
  });
  expect(gateway.errors).toEqual([]);
}

/** Lanes that post one batch after the other; every answer is kept with its calls. */
class Load {
  readonly answers: { calls: Call[]; answer: Answer }[] = [];
  readonly #gateway: GatewayProcess;
  readonly #tools: readonly string[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #lanes: Promise<void>[];
  #stopped = false;
  #count = 0;

  constructor(gateway: GatewayProcess, tools: readonly string[]) {
    this.#gateway = gateway;
    this.#tools = tools;
    this.#lanes = Array.from({ length: LANES }, (_, lane) => this.#run(lane));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
    this.#agent.destroy();
  }

  async #run(lane: number): Promise<void> {
    while (!this.#stopped) {
      const calls = this.#tools.map((name) => {
        this.#count += 1;
        const id = `n${this.#count}`;
        return { id, tool: name, arguments: { n: id } };
      });
      const wire = WIRES[lane % WIRES.length] ?? 'json';
      const answer = await post(this.#gateway.origin, calls, { agent: this.#agent, wire });
      this.answers.push({ calls, answer });
      if (answer.failure !== null) await sleep(5);
    }
  }
}

// Side by side: most of their time they wait.
describe.concurrent('npm run chaos and npm run soak', () => {
  it('chaos in short: every call is answered once, truly, and nothing unsafe is executed again', async () => {
    const only = ['killed again and again', 'frozen', 'resetting one in four'] as const;
    const report = await runChaos({ folder, faultMs: 1_000, batchesPerSecond: 25, only });
    expect(report.unanswered).toEqual([]);
    expect(report.rows.flatMap(({ untrue }) => untrue)).toEqual([]);
    expect(report.complaints).toEqual([]);
    expect(report.errors).toEqual([]);
    const rows = new Map(report.rows.map((row) => [`${row.fault}, ${row.tool}`, row]));
    for (const fault of only) {
      expect(rows.get(`${fault}, book`)).toMatchObject({ executedAgain: 0 });
      expect(rows.get(`${fault}, read`)!.recoveredAfterMs).toBeLessThan(Infinity);
    }
    // What may be repeated is; what may not is told as it is.
    const read = rows.get('resetting one in four, read')!;
    expect(read.executedAgain).toBeGreaterThan(0);
    expect(read.told[0]).toMatchObject({ code: 'ok' });
    expect(rows.get('resetting one in four, book')!.told).toContainEqual(
      expect.objectContaining({
        code: 'TOOL_TRANSPORT_ERROR',
        retryable: false,
        effect: 'unknown',
      }),
    );
  });

  it('chaos has its table in docs/reliability.md, a row a fault', async () => {
    const page = await readFile(join(ROOT, 'docs/reliability.md'), 'utf8');
    for (const fault of CHAOS) expect(page).toContain(`| ${fault} | read |`);
  });

  it('soak in short: every call of every tool is answered, and nothing is left', async () => {
    const report = await runSoak({
      folder,
      seconds: 4,
      batchesPerSecond: 40,
      seed: 7,
      restMs: 1_000,
    });
    expect(report.tally.unanswered).toEqual([]);
    expect(report.tally.tools).toHaveLength(7);
    expect(report.executedAgain).toBe(0);
    expect(report.kills).toBeGreaterThan(0);
    expect(report.left).toBeGreaterThan(0);
    expect(report.atRest).toMatchObject({ batchesInFlight: 0, timers: 0, complaints: [] });
    expect(report.errors).toEqual([]);
    expect(report.samples.length).toBeGreaterThan(5);
  }, 60_000);
});

describe('a reload under load', () => {
  it('50 times, by signal and by request: no call is lost, unchanged tools keep their breakers', async () => {
    const config = (description: string): { version: 1; tools: object[] } => ({
      version: 1,
      tools: [
        tool('same'),
        tool('changed', { description }),
        tool('broken', { breaker: { min_calls: 5, open_ms: 60_000 } }),
      ],
    });
    const gateway = await start(config('v0'));
    const breaker = async (): Promise<{ state: string; retry_after_ms: number }> => {
      const { tools } = (await (await fetch(`${gateway.origin}/healthz`)).json()) as {
        tools: { name: string; breaker: { state: string; retry_after_ms: number } }[];
      };
      return tools.find(({ name }) => name === 'broken')!.breaker;
    };
    upstream.behave(json({}, 500));
    const agent = new Agent();
    for (let call = 0; call < 5; call++) {
      await post(gateway.origin, [{ id: 'a', tool: 'broken', arguments: {} }], { agent });
    }
    const before = await breaker();
    expect(before.state).toBe('open');
    answerSlowly();
    const load = new Load(gateway, ['same', 'changed']);
    for (let reload = 0; reload < 50; reload++) {
      await gateway.rewrite(config(`v${reload}`));
      if (reload % 2 === 0) {
        gateway.signal('SIGHUP');
        await sleep(20);
      } else {
        const answer = await fetch(`${gateway.origin}/admin/reload`, {
          method: 'POST',
          headers: { 'x-api-key': ADMIN_KEY },
        });
        expect(answer.status).toBe(200);
      }
    }
    await load.stop();
    const told = load.answers.flatMap(({ answer }) => answer.results.map(({ code }) => code));
    expect(told).toHaveLength(load.answers.length * 2);
    expect(new Set(told)).toEqual(new Set(['ok']));
    const after = await breaker();
    expect(after.state).toBe('open');
    expect(after.retry_after_ms).toBeLessThan(before.retry_after_ms);
    const { tools } = (await (await fetch(`${gateway.origin}/v1/tools`)).json()) as {
      tools: { name: string; description: string }[];
    };
    expect(tools.find(({ name }) => name === 'changed')?.description).toBe('v49');
    await expectRest(gateway);
  });
});

describe('SIGTERM', () => {
  it('under load: what was taken is answered, what is refused was not executed, exit 0', async () => {
    answerSlowly();
    const gateway = await start();
    const load = new Load(gateway, ['get', 'get']);
    await sleep(600);
    gateway.signal('SIGTERM');
    expect(await gateway.exit).toBe(0);
    await load.stop();
    const executed = new Set(
      upstream.requests.map(({ target }) => new URL(target, upstream.origin).searchParams.get('n')),
    );
    const statuses = new Set<number | null>();
    for (const { calls, answer } of load.answers) {
      statuses.add(answer.status);
      if (answer.status === 200) {
        expect(answer.results.map(({ code }) => code)).toEqual(['ok', 'ok']);
      } else {
        // 503, or a connection that was closed while idle or refused.
        expect([503, null]).toContain(answer.status);
        expect(calls.filter(({ id }) => executed.has(id))).toEqual([]);
      }
    }
    expect(statuses).toContain(200);
    expect(statuses).toContain(null);
  });

  it('refuses a request whose body is still coming; its calls are not executed', async () => {
    upstream.behave(hang);
    const gateway = await start({ server: { drain_timeout_ms: 1_000 } });
    // Holds the drain.
    open(gateway, requestText(BATCH));
    await eventually(() => {
      expect(upstream.requests).toHaveLength(1);
    });
    const late = open(gateway, requestText(BATCH).slice(0, -5));
    await eventually(async () => {
      expect((await gateway.inspect()).sockets).toBeGreaterThanOrEqual(3);
    });
    gateway.signal('SIGTERM');
    await eventually(async () => {
      expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(503);
    });
    late.socket.write(requestText(BATCH).slice(-5));
    await once(late.socket, 'end');
    expect(late.received()).toMatch(/^HTTP\/1\.1 503 .*connection: close/s);
    expect(upstream.requests).toHaveLength(1);
    expect(await gateway.exit).toBe(0);
  });

  it('answers all of a pipeline that was taken; its last answer closes the connection', async () => {
    upstream.behave((socket, request) => {
      setTimeout(() => {
        json({ late: true })(socket, request);
      }, 1_000);
    });
    const gateway = await start();
    const pipeline = open(gateway, requestText(BATCH).repeat(3));
    await eventually(() => {
      expect(upstream.requests).toHaveLength(3);
    });
    gateway.signal('SIGTERM');
    await once(pipeline.socket, 'end');
    const answers = pipeline.received().split('HTTP/1.1 200').slice(1);
    expect(answers.filter((answer) => answer.includes('"late":true'))).toHaveLength(3);
    expect(answers.map((answer) => /connection: close/i.test(answer))).toEqual([
      false,
      false,
      true,
    ]);
    expect(await gateway.exit).toBe(0);
  });

  it('delivers a large answer that is on its way, at the pace its client reads', async () => {
    const gateway = await start({
      tools: [tool('big', { bulkhead: { max_concurrent: 50, max_queue: 500 } })],
    });
    upstream.behave(json({ text: 'x'.repeat(400_000) }));
    const calls = Array.from({ length: 50 }, () => ({ tool: 'big' }));
    const reader = open(gateway, requestText(JSON.stringify({ calls })));
    const ended = once(reader.socket, 'end');
    reader.socket.once('data', () => reader.socket.pause());
    await eventually(async () => {
      expect(reader.received()).not.toBe('');
      expect(await batchesInFlight(gateway)).toBe(0);
    });
    gateway.signal('SIGTERM');
    await sleep(1_000);
    reader.socket.resume();
    await ended;
    expect(reader.received().match(/"status":"ok"/g)).toHaveLength(50);
    expect(reader.received()).toMatch(/\]\}$/);
    expect(await gateway.exit).toBe(0);
  });

  it('with a drain limit that a reload has raised: calls have the new one', async () => {
    upstream.behave((socket, request) => {
      setTimeout(() => {
        json({ late: true })(socket, request);
      }, 1_000);
    });
    const gateway = await start({ server: { drain_timeout_ms: 100 } });
    await gateway.rewrite({
      version: 1,
      tools: [tool('get')],
      server: { drain_timeout_ms: 5_000 },
    });
    await fetch(`${gateway.origin}/admin/reload`, {
      method: 'POST',
      headers: { 'x-api-key': ADMIN_KEY },
    });
    const calls = [{ id: 'a', tool: 'get', arguments: {} }];
    const answer = post(gateway.origin, calls, { agent: new Agent() });
    await eventually(() => {
      expect(upstream.requests).toHaveLength(1);
    });
    gateway.signal('SIGTERM');
    await eventually(async () => {
      expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(503);
    });
    // It would end a process that does not listen to it.
    gateway.signal('SIGHUP');
    expect((await answer).results.map(({ code }) => code)).toEqual(['ok']);
    expect(await gateway.exit).toBe(0);
  });

  it('with a trace collector that never answers: exit 0 all the same', async () => {
    const collector = createServer((socket) => {
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    const gateway = await start(
      { server: { drain_timeout_ms: 100 } },
      { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    );
    await expectService(gateway);
    gateway.signal('SIGTERM');
    expect(await gateway.exit).toBe(0);
    collector.close();
  });
});

describe('clients', () => {
  let gateway: GatewayProcess;

  beforeAll(async () => {
    gateway = await launch({
      tools: [
        tool('get'),
        tool('slow'),
        tool('frozen', { timeout_ms: 60_000, bulkhead: { max_concurrent: 1000, max_queue: 0 } }),
        tool('keyed', { http: { method: 'POST', url: `${upstream.origin}/slow` } }),
      ],
    });
  });

  afterAll(async () => {
    await gateway.kill();
  });

  it('that leave at random moments leave nothing behind', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 200 });
    const random = new Random(3);
    upstream.behave((socket, request) => {
      if (request.target.startsWith('/frozen')) return;
      setTimeout(() => json({})(socket, request), request.target === '/get' ? 0 : 100);
    });
    const leave = async (index: number): Promise<string | null> => {
      const calls: Call[] = Array.from({ length: 1 + random.below(5) }, (_, at) => ({
        id: `c${at}`,
        tool: random.of(['get', 'slow', 'frozen', 'keyed']),
        arguments: {},
        ...(random.oneIn(3) && { idempotency_key: `k${random.below(3)}` }),
        ...(at > 0 && random.oneIn(3) && { depends_on: [`c${at - 1}`] }),
      }));
      const frozen = { id: 'last', tool: 'frozen', arguments: {} };
      const wire = WIRES[index % WIRES.length] ?? 'json';
      const { failure } = await post(gateway.origin, [...calls, frozen], {
        agent,
        wire,
        leaveAfterMs: random.below(250),
      });
      return failure;
    };
    for (let round = 0; round < 4; round++) {
      const failures = await Promise.all(Array.from({ length: 50 }, (_, index) => leave(index)));
      expect(new Set(failures)).toEqual(new Set(['left']));
    }
    await expectRest(gateway);
    // Those in use are gone at once; what was idle is kept for a while.
    const busy = [...upstream.sockets].filter((socket) => socket.bytesWritten === 0);
    expect(busy).toEqual([]);
    agent.destroy();
    await expectService(gateway);
  });

  it('that leave a pipeline take all of its batches with them', async () => {
    upstream.behave(hang);
    const idle = Math.max(0, upstream.sockets.size - 12);
    const { socket } = open(gateway, requestText(BATCH).repeat(12));
    await eventually(() => {
      expect(upstream.requests).toHaveLength(12);
    });
    socket.destroy();
    await eventually(() => {
      expect(upstream.sockets.size).toBe(idle);
    });
    await expectRest(gateway);
  });

  it('that leave a stream before its first result are no fault of ours', async () => {
    upstream.behave(hang);
    const headers = { accept: 'application/x-ndjson', 'content-type': 'application/json' };
    const request = httpRequest(`${gateway.origin}/v1/tool-calls`, { method: 'POST', headers });
    request.end(BATCH.replace('get', 'frozen'));
    // The head, with the id to cancel by, does not wait for a result.
    const [response] = (await once(request, 'response')) as [{ headers: Record<string, string> }];
    expect(response.headers['x-batch-id']).toMatch(/^[\w-]+$/);
    request.on('error', () => undefined).destroy();
    await expectRest(gateway);
    const metrics = await (await fetch(`${gateway.origin}/metrics`)).text();
    expect(metrics).not.toMatch(/INTERNAL_ERROR/);
  });

  it('a thousand that send half a request do not stop the others, nor the end', async () => {
    const gateway = await start();
    const half = [requestText(BATCH).slice(0, -5), 'POST /v1/tool-ca', 'GET / HTTP/1.1\r\nx: '];
    for (let index = 0; index < 1_000; index++) open(gateway, half[index % half.length]);
    await eventually(async () => {
      expect((await gateway.inspect()).sockets).toBeGreaterThanOrEqual(1_000);
    });
    for (let call = 0; call < 20; call++) await expectService(gateway);
    gateway.signal('SIGTERM');
    expect(await gateway.exit).toBe(0);
  });

  it('that never read a large answer, or slowly, do not stop the drain or others', async () => {
    const gateway = await start({
      server: { drain_timeout_ms: 500 },
      tools: [tool('get'), tool('big', { bulkhead: { max_concurrent: 50, max_queue: 500 } })],
    });
    const large = json({ text: 'x'.repeat(100_000) });
    upstream.behave((socket, request) => {
      (request.target === '/big' ? large : json({}))(socket, request);
    });
    const many = JSON.stringify({ calls: Array.from({ length: 100 }, () => ({ tool: 'big' })) });
    const before = await gateway.inspect();
    for (const accept of ['application/json', 'application/x-ndjson', 'text/event-stream']) {
      const { socket } = open(gateway, requestText(many, [`Accept: ${accept}`]));
      socket.pause();
    }
    await eventually(async () => {
      expect(upstream.requests).toHaveLength(300);
      expect(await batchesInFlight(gateway)).toBe(0);
    });
    await expectService(gateway);
    // The answers themselves (30 MB), once each: nothing is kept twice.
    expect((await gateway.inspect()).heapMb - before.heapMb).toBeLessThan(60);
    gateway.signal('SIGTERM');
    expect(await gateway.exit).toBe(0);
  });

  it('that send no HTTP, or too much of it, are refused; the process goes on', async () => {
    const head =
      'POST /v1/tool-calls HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json';
    const cases: [string, string, RegExp][] = [
      ['TLS', '\u0016\u0003\u0001\u0002\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['another version', 'GET /livez HTTP/9.9\r\nHost: a\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['no host', 'GET /livez HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
      ['two lengths', `${head}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`, / 400 /],
      [
        'a length and chunks',
        `${head}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
        / 400 /,
      ],
      ['a bad chunk', `${head}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, / 400 /],
      ['a huge header', `${head}\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
      ['an endless query', `GET /v1/tools?q=${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`, / 431 /],
      ['another expectation', `${head}\r\nExpect: pizza\r\nContent-Length: 0\r\n\r\n`, / 417 /],
    ];
    for (const [name, bytes, status] of cases) {
      const { received } = open(gateway, bytes);
      await eventually(() => {
        expect(received(), name).toMatch(status);
      });
    }
    await expectService(gateway);
    await expectRest(gateway);
  });

  it('of old and odd manners are served: HTTP/1.0, 100-continue, chunks, pipelines', async () => {
    upstream.behave(json({ served: true }));
    const served = /"result":\{"served":true\}/;
    const old = open(gateway, requestText(BATCH).replace('HTTP/1.1', 'HTTP/1.0'));
    await once(old.socket, 'end');
    expect(old.received()).toMatch(served);
    const polite = open(
      gateway,
      requestText('', ['Expect: 100-continue']).replace(': 0', `: ${BATCH.length}`),
    );
    await eventually(() => {
      expect(polite.received()).toMatch(/^HTTP\/1\.1 100 Continue/);
    });
    polite.socket.write(BATCH);
    await eventually(() => {
      expect(polite.received()).toMatch(served);
    });
    const chunks = `${BATCH.length.toString(16)}\r\n${BATCH}\r\n0\r\n\r\n`;
    const chunked = open(
      gateway,
      requestText('').replace('Content-Length: 0', 'Transfer-Encoding: chunked') + chunks,
    );
    await eventually(() => {
      expect(chunked.received()).toMatch(served);
    });
    const pipeline = open(gateway, requestText(BATCH).repeat(5));
    await eventually(() => {
      expect(pipeline.received().match(/"served":true/g)).toHaveLength(5);
    });
    await expectRest(gateway);
  });

  it.each([
    ['by its length', requestText('').replace(': 0', ': 52428800')],
    ['as it comes', requestText('').replace('Content-Length: 0', 'Transfer-Encoding: chunked')],
  ])(
    'a body of 50 MB is refused %s, and a client that sends all first can read why',
    async (how, head) => {
      const client = connect(gateway.port, '127.0.0.1').pause();
      sockets.push(client);
      client.on('error', () => undefined);
      const body = Buffer.alloc(52_428_800, ' ');
      client.write(head);
      if (how !== 'by its length') client.write('3200000\r\n');
      client.write(body, () => client.resume());
      const [chunk] = (await once(client, 'data')) as [Buffer];
      expect(chunk.toString()).toMatch(/^HTTP\/1\.1 413 .*"code":"PARSER_ERROR"/s);
      client.destroy();
      await expectService(gateway);
    },
  );

  it('HEAD requests take no place of those who look at the page', async () => {
    const get = 'GET /ui/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
    for (let index = 0; index < 60; index++) open(gateway, get.replace('GET', 'HEAD'));
    await eventually(async () => {
      expect((await gateway.inspect()).sockets).toBeGreaterThanOrEqual(60);
    });
    const viewers = Array.from({ length: 70 }, () => open(gateway, get));
    await eventually(() => {
      const statuses = viewers.map(({ received }) => received().slice(9, 12));
      expect(statuses.filter((status) => status === '200')).toHaveLength(50);
      expect(statuses.filter((status) => status === '503')).toHaveLength(20);
    });
    // Who leaves makes room.
    for (const { socket } of viewers) socket.destroy();
    await eventually(async () => {
      const viewer = open(gateway, get);
      await once(viewer.socket, 'data');
      expect(viewer.received()).toMatch(/^HTTP\/1\.1 200 /);
    });
  });
});
