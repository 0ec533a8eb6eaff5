// Module upstreams: a tool that is a function of ours or of the user's, in this process.
// `export default async (args, { signal, call }) => result`
import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { abortOutcome } from '../call.js';
import type { Attempt, ResolvedCall, ToolDefinition, UpstreamInvoke } from '../call.js';
import type { Outcome } from '../errors/outcome.js';
import { moduleResult } from './module-result.js';
import { offerOwnPackage } from './own-package.js';
import type { ValidateOutput } from './result-check.js';

/** What a module tool learns of the call. */
interface ModuleCall {
  readonly id: string;
  /** The tool's name; one module may serve several. */
  readonly tool: string;
  readonly idempotencyKey: string | undefined;
  readonly runId: string | undefined;
  /** 1 for the first. */
  readonly attempt: number;
  /** Milliseconds left for this attempt when it began. */
  readonly remainingMs: number;
}

interface ModuleContext {
  /** Aborts when the attempt's time is up or the caller left. */
  readonly signal: AbortSignal;
  readonly call: ModuleCall;
}

/** The default export of a tool's module. */
type ModuleFunction = (args: Record<string, unknown>, context: ModuleContext) => unknown;

export interface ModuleDeps {
  /** Of the tool's output schema, compiled. */
  readonly validateOutput?: ValidateOutput | undefined;
  /** How often the configuration was read again; absent: never. */
  readonly reloads?: () => number;
}

/**
 * Builds the upstream of a `module:` tool. The module is imported at the first call, and at the first
 * after a reload if its file has changed; one that does not load makes the call `misconfigured`, and
 * is tried again at the next. Node never forgets a module: each edited version stays in memory.
 *
 * Its promise settles only when the function has: one that ignores its signal keeps its slot.
 */
export function createModuleUpstream(tool: ToolDefinition, deps: ModuleDeps): UpstreamInvoke {
  const definition = tool.upstream;
  if (definition.kind !== 'module') {
    return () =>
      Promise.resolve({ kind: 'misconfigured', explanation: 'The tool has no module upstream.' });
  }
  const { reloads = () => 0 } = deps;
  let loading: Promise<ModuleFunction | Outcome> | undefined;
  let readAt = reloads();
  return async (call, attempt) => {
    attempt.phase = 'connecting';
    const now = reloads();
    if (now !== readAt) loading = undefined;
    readAt = now;
    const mine = (loading ??= loadModule(definition.path));
    const loaded = await mine;
    if (typeof loaded !== 'function') {
      if (loading === mine) loading = undefined;
      return loaded;
    }
    if (attempt.aborted !== undefined) return abortOutcome(attempt.aborted, 'connecting');
    // From here on it may do anything.
    attempt.phase = 'awaiting_headers';
    try {
      const value = await loaded(structuredClone(call.arguments), new Context(call, attempt));
      return moduleResult(value, tool.policy.result, deps.validateOutput);
    } catch (error) {
      return { kind: 'thrown', error };
    }
  };
}

/** What the function is given; the signal is built only if it looks at it (see `Attempt`). */
class Context implements ModuleContext {
  readonly call: ModuleCall;
  readonly #attempt: Attempt;

  constructor(call: ResolvedCall, attempt: Attempt) {
    this.#attempt = attempt;
    this.call = {
      id: call.id,
      tool: call.tool.name,
      idempotencyKey: call.idempotencyKey,
      runId: attempt.ctx.runId,
      attempt: attempt.number,
      remainingMs: Math.max(0, Math.floor(attempt.deadlineAt - performance.now())),
    };
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
}

async function loadModule(path: string): Promise<ModuleFunction | Outcome> {
  try {
    // Modules are cached by URL: it names this state of the file, so that an edited one is read again
    // and an unchanged one is the same module. What the file itself imports is not read again.
    const { mtimeMs, size } = await stat(path);
    offerOwnPackage(path);
    const url = pathToFileURL(path);
    url.searchParams.set('version', `${mtimeMs}-${size}`);
    const loaded = (await import(url.href)) as { readonly default?: unknown };
    if (typeof loaded.default === 'function') return loaded.default as ModuleFunction;
    return misconfigured('has no function as its default export');
  } catch (error) {
    return misconfigured(`cannot be loaded${loadProblem(error)}`);
  }
}

function misconfigured(problem: string): Outcome {
  return { kind: 'misconfigured', explanation: `The module of the tool ${problem}.` };
}

/** The kind of fault only: a message or a stack may show paths and code. */
function loadProblem(error: unknown): string {
  if (error instanceof SyntaxError) return ': it has a syntax error';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return ': there is no such file';
  if (code === 'ERR_MODULE_NOT_FOUND') return ': something that it imports is missing';
  return '';
}
