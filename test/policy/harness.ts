// What the policy tests share: a tool, contexts, an upstream that the test answers by hand, and a
// clock that the test drives.
import { vi } from 'vitest';
import type {
  Attempt,
  CallContext,
  ResolvedCall,
  ToolDefinition,
  ToolObserver,
  ToolPolicy,
  UpstreamInvoke,
} from '../../src/call.js';
import { Cancellation } from '../../src/cancellation.js';
import { compileErrorRules } from '../../src/errors/author-rules.js';
import type { ClassifySubject } from '../../src/errors/classify.js';
import type { OkOutcome, Outcome, ResponseOutcome } from '../../src/errors/outcome.js';
import { createScrubber } from '../../src/errors/scrub.js';
import { buildPipeline, type Pipeline, type PipelineDeps } from '../../src/policy/pipeline.js';
import { createMemoryState } from '../../src/state/memory.js';

/** Takes every clock the layers read. Undo with `vi.useRealTimers()`. */
export function driveClock(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
}

/** Nothing but retries and the attempt timer; tests switch on what they need. */
const BARE_POLICY: ToolPolicy = {
  timeoutMs: 1000,
  retry: { maxAttempts: 1, baseMs: 50, maxMs: 500, maxWaitMs: 2000 },
  retryBudget: { tokens: 500, retryCost: 14, successRefill: 1 },
  breaker: null,
  bulkhead: null,
  rateLimit: null,
  result: { maxBytes: 1_048_576, onOversize: 'error', validation: 'enforce' },
  trust503: false,
  maxToolAttempts: 12,
};

export function makeTool(
  policy: Partial<ToolPolicy> = {},
  tool: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    name: 'demo.tool',
    description: '',
    inputSchema: {},
    idempotent: true,
    readOnly: true,
    upstream: { kind: 'module', path: '/none' },
    policy: { ...BARE_POLICY, ...policy },
    errorRules: [],
    ...tool,
  };
}

function makeSubject(tool: ToolDefinition): ClassifySubject {
  return {
    toolName: tool.name,
    kind: 'http',
    idempotent: tool.idempotent,
    trust503: tool.policy.trust503,
    rules: compileErrorRules(tool.errorRules),
    scrubber: createScrubber([]),
  };
}

export type ContextOptions = Partial<CallContext> & {
  /** Milliseconds from now; default 60 000. */
  readonly withinMs?: number;
};

export function makeContext({ withinMs = 60_000, ...rest }: ContextOptions = {}): CallContext {
  return {
    client: 'client',
    runId: undefined,
    batchId: 'batch',
    requestId: 'request',
    deadlineAt: performance.now() + withinMs,
    deadlineScope: 'deadline',
    deadlineMs: withinMs,
    cancellation: new Cancellation(),
    attempts: 0,
    attemptLog: undefined,
    retryStoppedBy: undefined,
    effectMayHaveHappened: false,
    keySent: false,
    verdict: undefined,
    lingering: undefined,
    ...rest,
  };
}

export function makeCall(tool: ToolDefinition, call: Partial<ResolvedCall> = {}): ResolvedCall {
  return { id: 'c1', tool, arguments: {}, ...call };
}

export const OK: OkOutcome = { kind: 'ok', result: { kind: 'text', text: 'fine' } };

export function response(
  status: number,
  headers: ResponseOutcome['headers'] = {},
  body = '',
): ResponseOutcome {
  return { kind: 'response', status, headers, body };
}

export function reset(): Outcome {
  const error = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  return { kind: 'transport', error, phase: 'awaiting_headers' };
}

export function refusedConnection(): Outcome {
  const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  return { kind: 'transport', error, phase: 'connecting' };
}

/** An attempt that waits for the test. */
export interface Open {
  readonly attempt: Attempt;
  readonly call: ResolvedCall;
  answer(outcome: Outcome): void;
}

/** An upstream whose attempts the test answers; it never answers by itself. */
export class ManualUpstream {
  readonly open: Open[] = [];
  calls = 0;
  /** Attempts not yet settled, aborted ones included. */
  running = 0;
  peak = 0;

  readonly invoke: UpstreamInvoke = (call, attempt) => {
    this.calls += 1;
    this.running += 1;
    this.peak = Math.max(this.peak, this.running);
    attempt.phase = 'awaiting_headers';
    return new Promise((resolve) => {
      const entry: Open = {
        attempt,
        call,
        answer: (outcome) => {
          const at = this.open.indexOf(entry);
          if (at < 0) return;
          this.open.splice(at, 1);
          this.running -= 1;
          resolve(outcome);
        },
      };
      this.open.push(entry);
    });
  };
}

/** An upstream that answers at once with what the script says, then with its last line. */
export class ScriptedUpstream {
  readonly #script: readonly (Outcome | (() => Outcome))[];
  calls = 0;
  readonly at: number[] = [];

  constructor(script: readonly (Outcome | (() => Outcome))[]) {
    this.#script = script;
  }

  readonly invoke: UpstreamInvoke = (_call, attempt) => {
    attempt.phase = 'awaiting_headers';
    const step = this.#script[Math.min(this.calls, this.#script.length - 1)]!;
    this.calls += 1;
    this.at.push(performance.now());
    // A fresh object each time: classifications are remembered per outcome.
    return Promise.resolve(typeof step === 'function' ? step() : { ...step });
  };
}

export function scripted(...script: readonly (Outcome | (() => Outcome))[]): ScriptedUpstream {
  return new ScriptedUpstream(script);
}

/** Counts what the layers report. */
export class Recorder implements ToolObserver {
  readonly attempts: string[] = [];
  readonly retries: string[] = [];
  readonly states: string[] = [];
  readonly waits: number[] = [];
  readonly limited: string[] = [];

  attempt(code: string): void {
    this.attempts.push(code);
  }
  retry(code: string): void {
    this.retries.push(code);
  }
  breakerChanged(to: string): void {
    this.states.push(to);
  }
  queueWaited(ms: number): void {
    this.waits.push(ms);
  }
  rateLimited(scope: string): void {
    this.limited.push(scope);
  }
}

export function makePipeline(
  tool: ToolDefinition,
  upstream: UpstreamInvoke,
  deps: Partial<PipelineDeps> = {},
): Pipeline {
  return buildPipeline(tool, upstream, {
    subject: makeSubject(tool),
    observer: new Recorder(),
    state: createMemoryState(),
    random: () => 0.5,
    ...deps,
  });
}

/** Lets every microtask run; moves no clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

/** Moves the clock and lets everything that follows happen. */
export async function advance(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}
