// One run: 100 agents of one policy, the gateway's layers, one upstream, and a clock that jumps from
// event to event. Nothing real passes but microtasks, so a run is the same every time.
import FakeTimers from '@sinonjs/fake-timers';
import type { CallContext, ToolDefinition } from '../../src/call.js';
import { Cancellation } from '../../src/cancellation.js';
import { compileErrorRules } from '../../src/errors/author-rules.js';
import { classifyOnce, type ClassifySubject } from '../../src/errors/classify.js';
import { createScrubber } from '../../src/errors/scrub.js';
import { buildPipeline } from '../../src/policy/pipeline.js';
import { createMemoryState } from '../../src/state/memory.js';
import { runAgent, type Answer, type Policy, type Send, type Tally } from './agents.js';
import { pause, seeded, type Random } from './random.js';
import { AGENTS, CALLS_PER_AGENT, type Scenario } from './scenarios.js';
import type { CreateUpstream, Ledger } from './upstreams.js';

/** Every run ends at this simulated time at the latest. */
const LIMIT_MS = 3_600_000;
const DEADLINE_MS = 60_000;

export interface Run {
  readonly finishedMs: number;
  readonly upstreamCalls: number;
  readonly executedTwice: number;
  readonly tally: Tally;
  /** When each success came, milliseconds, ascending. */
  readonly successes: readonly number[];
}

const silent = {
  attempt: () => undefined,
  retry: () => undefined,
  breakerChanged: () => undefined,
  queueWaited: () => undefined,
  rateLimited: () => undefined,
};

/** Lets every microtask run; setImmediate is not simulated. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Runs `act` on a clock that jumps from timer to timer, for at most `LIMIT_MS`. */
export async function driven<T>(what: string, act: () => Promise<T>): Promise<T> {
  const clock = FakeTimers.install({
    now: 1_700_000_000_000,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  try {
    const startedAt = performance.now();
    const state = { done: false };
    const acting = act().finally(() => {
      state.done = true;
    });
    await settle();
    while (!state.done && performance.now() - startedAt < LIMIT_MS) {
      clock.next();
      await settle();
    }
    if (!state.done) throw new Error(`${what}: not finished in an hour`);
    return await acting;
  } finally {
    clock.uninstall();
  }
}

export function simulate(scenario: Scenario, policy: Policy, seed: number): Promise<Run> {
  return driven(`${scenario.id}, ${policy.name}`, async () => {
    const world = createWorld(scenario, policy, seed);
    const startedAt = performance.now();
    await world.run();
    return world.result(performance.now() - startedAt);
  });
}

/** A tool in front of its upstream; `send` answers as a client of the gateway would see it. */
export function createGateway(tool: ToolDefinition, create: CreateUpstream, random: Random) {
  const ledger: Ledger = { calls: 0, executed: new Map() };
  const upstream = create(random, ledger);
  const subject = subjectOf(tool);
  const pipeline = buildPipeline(
    tool,
    (call, attempt) => {
      ledger.calls += 1;
      attempt.phase = 'awaiting_headers';
      return upstream(String(call.arguments['what']), call.idempotencyKey);
    },
    { subject, observer: silent, state: createMemoryState(), random },
  );
  const send = async (
    id: string,
    runId: string | undefined,
    key: string | undefined,
  ): Promise<Answer> => {
    const ctx = contextOf(runId);
    const call = {
      id,
      tool,
      arguments: { what: id },
      ...(key !== undefined && { idempotencyKey: key }),
    };
    const outcome = await pipeline.invoke(call, ctx);
    return outcome.kind === 'ok'
      ? { ok: true }
      : { ok: false, info: classifyOnce(outcome, subject, ctx).info };
  };
  return { ledger, pipeline, send };
}

function createWorld(scenario: Scenario, policy: Policy, seed: number) {
  const random = seeded(seed);
  const { ledger, pipeline, send: ask } = createGateway(scenario.tool, scenario.create, random);
  const successes: number[] = [];
  const startedAt = performance.now();
  const tally: Tally = {
    requests: 0,
    retries: 0,
    retriesOk: 0,
    advised: 0,
    advisedOk: 0,
    succeeded: 0,
    gaveUp: 0,
  };
  const send =
    (agent: number): Send =>
    async (callId, key) => {
      await pause(network(random));
      const answer = await ask(callId, `agent-${agent}`, key);
      if (answer.ok) successes.push(performance.now() - startedAt);
      await pause(network(random));
      return answer;
    };
  const agent = async (number: number): Promise<void> => {
    // Agents do not start in the same millisecond.
    await pause(random() * 50);
    const calls = Array.from({ length: CALLS_PER_AGENT }, (_, n) => `${number}-${n}`);
    await runAgent(calls, policy, send(number), tally, random);
  };
  return {
    run: () => Promise.all(Array.from({ length: AGENTS }, (_, number) => agent(number))),
    result: (finishedMs: number): Run => {
      pipeline.close();
      const executedTwice = [...ledger.executed.values()].filter((times) => times > 1).length;
      return { finishedMs, upstreamCalls: ledger.calls, executedTwice, tally, successes };
    },
  };
}

/** One way between agent and gateway. */
function network(random: Random): number {
  return 1 + random() * 4;
}

function contextOf(runId: string | undefined): CallContext {
  return {
    client: 'agents',
    runId,
    batchId: 'batch',
    requestId: 'request',
    deadlineAt: performance.now() + DEADLINE_MS,
    deadlineScope: 'deadline',
    deadlineMs: DEADLINE_MS,
    cancellation: new Cancellation(),
    attempts: 0,
    attemptLog: undefined,
    retryStoppedBy: undefined,
    effectMayHaveHappened: false,
    keySent: false,
    verdict: undefined,
    lingering: undefined,
  };
}

function subjectOf(tool: ToolDefinition): ClassifySubject {
  return {
    toolName: tool.name,
    kind: 'http',
    idempotent: tool.idempotent,
    trust503: false,
    rules: compileErrorRules([]),
    scrubber: createScrubber([]),
  };
}
