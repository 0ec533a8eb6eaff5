// What it costs to say no locally: all CPU of the gateway, HTTP included, a refused call in batches
// of 50, for each of the four reasons.
import { batch, type Rig, type Server } from '../lib/rig.js';
import type { Row } from '../lib/report.js';
import { expectOnly, mid, withGateway, type Settings } from '../lib/scenario.js';
import type { Measured } from '../lib/rig.js';

const SIZE = 50;
const IN_FLIGHT = 4;
const ROUNDS = 3;

interface Reason {
  readonly name: string;
  readonly code: string;
  readonly body: string;
  /** Brings the gateway to where it refuses. */
  readonly prime?: string;
}

const REASONS: readonly Reason[] = [
  {
    name: 'breaker open',
    code: 'TOOL_CIRCUIT_OPEN',
    body: batch('bench.down', SIZE),
    prime: batch('bench.down', 20),
  },
  {
    name: 'limiter',
    code: 'TOOL_RATE_LIMITED',
    body: batch('bench.limited', SIZE),
    prime: batch('bench.limited', 1),
  },
  {
    name: 'bulkhead',
    code: 'BULKHEAD_FULL',
    body: batch('bench.hang', SIZE),
  },
  {
    name: 'bad arguments',
    code: 'TOOL_ARGUMENT_ERROR',
    body: batch('bench.fast', SIZE, { city: 7 }),
  },
];

function post(gateway: Server, body: string, signal?: AbortSignal): Promise<unknown> {
  return fetch(`${gateway.origin}/v1/tool-calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    ...(signal === undefined ? {} : { signal }),
  }).then((answer) => answer.arrayBuffer());
}

export function rejection(rig: Rig, { seconds }: Settings): Promise<readonly Row[]> {
  return withGateway(rig, async (gateway) => {
    const holder = new AbortController();
    // Holds the only slot of bench.hang until the scenario is over.
    const held = post(gateway, batch('bench.hang', 1), holder.signal).catch(() => undefined);
    const rows: Row[] = [];
    for (const reason of REASONS) {
      if (reason.prime !== undefined) await post(gateway, reason.prime);
      const order = { body: reason.body, inFlight: IN_FLIGHT, seconds: seconds / 2 };
      await rig.measure(gateway, SIZE, order);
      const all: Measured[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const measured = await rig.measure(gateway, SIZE, order);
        expectOnly(measured, reason.code);
        all.push(measured);
      }
      rows.push({
        name: `CPU of a local rejection: ${reason.name}`,
        value: mid(all, (m) => m.cpuUsPerCall),
        digits: 1,
        unit: ' µs',
        sense: 'at-most',
        bar: 10,
        aim: 5,
        note: `${mid(all, (m) => m.callsPerSecond).toFixed(0)}/s`,
      });
    }
    holder.abort();
    await held;
    return rows;
  });
}
