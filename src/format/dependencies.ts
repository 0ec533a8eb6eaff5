// `depends_on` within one batch: every named id exists, stands once, and nothing waits for itself.
import type { ToolCall } from '../call.js';
import { addFault } from './pointers.js';

/** The calls that wait for one another in a circle: positions, empty when there are none. */
function circular(calls: readonly ToolCall[], position: ReadonlyMap<string, number>): number[] {
  const waitsFor = calls.map((call) => (call.dependsOn ?? []).map((id) => position.get(id) ?? -1));
  const open = waitsFor.map((list) => list.length);
  const waiters: number[][] = calls.map(() => []);
  waitsFor.forEach((list, i) => list.forEach((j) => waiters[j]?.push(i)));
  const ready = open.flatMap((count, i) => (count === 0 ? [i] : []));
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    for (const waiter of waiters[next] ?? []) {
      open[waiter] = (open[waiter] ?? 0) - 1;
      if (open[waiter] === 0) ready.push(waiter);
    }
  }
  return open.flatMap((count, i) => (count > 0 ? [i] : []));
}

/** Notes what is wrong with the batch's order, by pointer. Called only where some call depends. */
export function checkDependencies(
  calls: readonly ToolCall[],
  faults: Record<string, string>,
): void {
  const position = new Map<string, number>();
  calls.forEach((call, i) => {
    const first = position.get(call.id);
    if (first === undefined) position.set(call.id, i);
    else
      addFault(
        faults,
        `/calls/${i}/id`,
        `is also the id of call ${first + 1}, which depends_on cannot tell apart`,
      );
  });
  calls.forEach((call, i) => {
    call.dependsOn?.forEach((id, j) => {
      if (!position.has(id))
        addFault(faults, `/calls/${i}/depends_on/${j}`, 'no call of this batch has this id');
    });
  });
  if (Object.keys(faults).length > 0) return;
  for (const i of circular(calls, position)) {
    addFault(faults, `/calls/${i}/depends_on`, 'waits in a circle: it can never start');
  }
}
