// A batch: its calls run concurrently, those with dependencies after what they depend on. One result
// per call, in submission or completion order; a caller that streams hears each as it completes.
import type { ToolCall, ToolResult } from '../call.js';
import type { BatchContext } from './batch-context.js';
import { type DependencyGraph, startOrder } from './dependencies.js';
import { executeCall, settleWithout, type ToolDirectory } from './execute-call.js';
import { resolveReferences } from './references.js';

export interface BatchOptions {
  readonly returnOrder: 'submission' | 'completion';
  readonly graph: DependencyGraph | undefined;
  /** Each result once, as it completes. */
  readonly onResult?: ((result: ToolResult) => void) | undefined;
}

/** Executes all calls. Never rejects. */
export function executeBatch(
  calls: readonly ToolCall[],
  batch: BatchContext,
  directory: ToolDirectory,
  options: BatchOptions,
): Promise<ToolResult[]> {
  const { graph, onResult, returnOrder } = options;
  const running: Promise<ToolResult>[] =
    graph === undefined
      ? calls.map((call) => executeCall(call, batch, directory))
      : startInOrder(calls, graph, batch, directory);
  if (returnOrder === 'submission' && onResult === undefined) return all(running);
  return observe(running, returnOrder, onResult);
}

/** `Promise.all`, which for a batch of one call costs as much as a layer. */
function all(running: readonly Promise<ToolResult>[]): Promise<ToolResult[]> {
  const [only] = running;
  if (only === undefined || running.length > 1) return Promise.all(running);
  return only.then((result) => [result]);
}

async function observe(
  running: readonly Promise<ToolResult>[],
  returnOrder: BatchOptions['returnOrder'],
  onResult: BatchOptions['onResult'],
): Promise<ToolResult[]> {
  const completed: ToolResult[] = [];
  const done = (result: ToolResult): ToolResult => {
    completed.push(result);
    onResult?.(result);
    return result;
  };
  const results = await Promise.all(running.map((result) => result.then(done)));
  return returnOrder === 'completion' ? completed : results;
}

/** Starts every call once those it waits for are done; the graph has no circle. */
function startInOrder(
  calls: readonly ToolCall[],
  graph: DependencyGraph,
  batch: BatchContext,
  directory: ToolDirectory,
): Promise<ToolResult>[] {
  const running: Promise<ToolResult>[] = [];
  for (const index of startOrder(graph)) {
    const call = calls[index] as ToolCall;
    const dependencies = (graph[index] ?? []).map((at) => running[at] as Promise<ToolResult>);
    running[index] =
      dependencies.length === 0
        ? executeCall(call, batch, directory)
        : afterDependencies(call, dependencies, batch, directory);
  }
  return running;
}

async function afterDependencies(
  call: ToolCall,
  dependencies: readonly Promise<ToolResult>[],
  batch: BatchContext,
  directory: ToolDirectory,
): Promise<ToolResult> {
  const results = await Promise.all(dependencies);
  const failed = results.find((result) => result.status !== 'ok');
  if (failed !== undefined) {
    const dependency = { id: failed.id, code: failed.errorInfo?.code ?? 'INTERNAL_ERROR' };
    return settleWithout(call, { kind: 'dependency-failed', dependency }, batch, directory);
  }
  const resolved = resolveReferences(call, new Map(results.map((result) => [result.id, result])));
  if (!resolved.ok) {
    const outcome = { kind: 'invalid-arguments', errors: resolved.errors } as const;
    return settleWithout(call, outcome, batch, directory);
  }
  return executeCall(resolved.call, batch, directory);
}
