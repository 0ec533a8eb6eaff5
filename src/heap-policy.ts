// What V8 is told about this process: calls live for moments, in large numbers, and a start leaves
// more behind than it keeps. For `toolgate serve`; in somebody else's process it is theirs to say.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Call it first. Measured in docs/performance.md. */
export function tuneHeap(): void {
  // While a process warms up, its young generation is small and most of a call survives a collection
  // of it. V8 concludes that calls live long, and from then on puts their objects into the old
  // generation at once, where they stay until a full collection with every result and buffer they
  // point to: twice the memory, and a tenth of all CPU.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // The old generation is collected when it is 2.5 times what was left the last time; V8's own
  // choice is up to 4. Slow calls in great number pass through it.
  setFlagsFromString('--heap-growing-percent=150');
}

/**
 * Collects what reading a configuration leaves: its text and its tree, 20 MB with a thousand tools,
 * which V8 would keep until it is short of memory. Before the gateway is built: a full collection
 * after that costs every later call 5 %, as V8 forgets shapes of objects that it then learns anew.
 */
export function collectReading(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
