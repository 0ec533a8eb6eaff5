// What the upstream does to its callers: one behaviour per fault, written on the bare socket.
import {
  answer,
  type Behaviour,
  drip,
  gzipBomb,
  hang,
  hangUp,
  json,
  raw,
  reset,
  thenHangUp,
  thenReset,
} from '../../../test/support/faulty-server.js';

const BOMB_BYTES = 20_000_000;
const SLOW_MS = 200;
/** Longer than any `timeout_ms` of the proofs. */
const TOO_SLOW_MS = 1_500;

const HALF_A_BODY =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"rows":[1,2,';

function after(delayMs: number, behaviour: Behaviour): Behaviour {
  return (socket, request) => {
    setTimeout(() => {
      if (socket.writable) behaviour(socket, request);
    }, delayMs);
  };
}

/** Every nth request meets the behaviour, the others are served. */
function nowAndThen(every: number, behaviour: Behaviour): Behaviour {
  let count = 0;
  return (socket, request) => {
    count += 1;
    (count % every === 0 ? behaviour : fine)(socket, request);
  };
}

const fine = json({ done: true });

/** Whether the application did what it was asked for is in the journal, unless it refuses. */
export interface Fault {
  readonly behaviour: Behaviour;
  /** It says no before it does anything: nothing is executed. */
  readonly refuses?: true;
}

export const FAULTS = {
  fine: { behaviour: fine },
  slow: { behaviour: after(SLOW_MS, fine) },
  'resetting one in four': { behaviour: nowAndThen(4, reset) },
  'answering one in four 503': { behaviour: nowAndThen(4, json({}, 503)) },
  'too slow': { behaviour: after(TOO_SLOW_MS, fine) },
  hanging: { behaviour: hang },
  'reset before the answer': { behaviour: reset },
  'closed before the answer': { behaviour: hangUp },
  'reset in the body': { behaviour: thenReset(raw(HALF_A_BODY)) },
  'closed in the body': { behaviour: thenHangUp(raw(HALF_A_BODY)) },
  'dripping body': { behaviour: drip(20) },
  'not HTTP': { behaviour: thenHangUp(raw('\u0016\u0003\u0001 hello?\r\n\r\n')) },
  'not JSON': { behaviour: answer(200, { 'content-type': 'application/json' }, '{"rows":[1,2,') },
  'gzip bomb': { behaviour: gzipBomb(BOMB_BYTES) },
  'status 500': { behaviour: json({ error: { message: 'broken' } }, 500) },
  'status 503': { behaviour: json({}, 503) },
  'status 503, Retry-After': { behaviour: answer(503, { 'retry-after': '1' }) },
  'status 429, Retry-After': { behaviour: answer(429, { 'retry-after': '1' }), refuses: true },
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as readonly FaultName[];
