import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject, ToolDefinition } from '../../src/call.js';
import type { Outcome } from '../../src/errors/outcome.js';
import {
  driveClock,
  makeCall,
  makeContext,
  makePipeline,
  makeTool,
  ManualUpstream,
  OK,
  refusedConnection,
  reset,
  response,
  settle,
} from './harness.js';

const plain = makeTool({}, { idempotent: false, readOnly: false });
const VARIANTS = {
  plain,
  header: { ...plain, idempotency: { header: 'idempotency-key', ttlMs: 60_000 } },
  idempotent: { ...plain, idempotent: true },
  verify: {
    ...plain,
    verify: {
      tool: 'demo.find',
      arguments: {},
      confirmedWhen: { pointer: '/found', equals: true },
    },
  },
} satisfies Record<string, ToolDefinition>;

/** How the first call with the key ended; undefined: it still runs. */
const FIRST = {
  running: undefined,
  ok: OK,
  'definite failure': response(422),
  unknown: reset(),
  'never sent': refusedConnection(),
  'refused before execution': response(429),
} satisfies Record<string, Outcome | undefined>;

/** `shares`: its answer; `stored`: its verdict again; `runs`: a second request goes upstream. */
type Then = 'shares' | 'stored' | 'conflict' | 'runs';

const SAME: Record<keyof typeof FIRST, (variant: keyof typeof VARIANTS) => Then> = {
  running: () => 'shares',
  ok: () => 'shares',
  'definite failure': () => 'stored',
  unknown: (variant) => (variant === 'header' || variant === 'idempotent' ? 'runs' : 'stored'),
  'never sent': () => 'runs',
  'refused before execution': () => 'runs',
};

/** Nothing was executed under these, so that the key is free for anything. */
const LEAVES_THE_KEY_FREE: readonly string[] = ['never sent', 'refused before execution'];

const rows = (Object.keys(FIRST) as (keyof typeof FIRST)[]).flatMap((first) =>
  (Object.keys(VARIANTS) as (keyof typeof VARIANTS)[]).flatMap((variant) => [
    [first, variant, 'same', SAME[first](variant)] as const,
    [first, variant, 'other', LEAVES_THE_KEY_FREE.includes(first) ? 'runs' : 'conflict'] as const,
  ]),
);

describe('the second call with an idempotency key', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  function start(tool: ToolDefinition) {
    const upstream = new ManualUpstream();
    const found: Outcome = { kind: 'ok', result: { kind: 'json', text: '{"found":false}' } };
    const pipeline = makePipeline(tool, upstream.invoke, {
      readBack: () => Promise.resolve(found),
    });
    const send = (args: JsonObject) =>
      pipeline.invoke(makeCall(tool, { arguments: args, idempotencyKey: 'k' }), makeContext());
    const answer = async (outcome: Outcome): Promise<void> => {
      await settle();
      upstream.open[0]!.answer({ ...outcome });
      await settle();
    };
    return { upstream, send, answer };
  }

  it.each(rows)('(first: %s; tool: %s; arguments: %s) %s', async (first, variant, args, then) => {
    const { upstream, send, answer } = start(VARIANTS[variant]);
    const ended = FIRST[first];
    void send({ to: 'a' });
    await settle();
    if (ended !== undefined) await answer(ended);
    const second = send({ to: args === 'same' ? 'a' : 'b' });
    if (ended === undefined || then === 'runs') {
      // Whatever is open now is answered; a conflict has not waited for it.
      const early = await Promise.race([second, settle().then(() => undefined)]);
      expect(early?.kind).toBe(then === 'conflict' ? 'idempotency-conflict' : undefined);
      await answer(OK);
    }
    const expected = {
      shares: { kind: 'ok', cached: true },
      stored: { kind: 'stored' },
      conflict: { kind: 'idempotency-conflict' },
      runs: OK,
    }[then];
    expect(await second).toMatchObject(expected);
    expect(upstream.calls).toBe(then === 'runs' ? 2 : 1);
  });

  it.each(['header', 'idempotent'] as const)(
    'conflicts after an unknown outcome that a failed repetition followed (tool: %s)',
    async (variant) => {
      const { upstream, send, answer } = start(VARIANTS[variant]);
      void send({ to: 'a' });
      await answer(reset());
      for (const repeated of [refusedConnection(), response(429), response(401)]) {
        void send({ to: 'a' });
        await answer(repeated);
        expect(await send({ to: 'b' })).toEqual({ kind: 'idempotency-conflict' });
      }
      void send({ to: 'a' });
      await answer(OK);
      expect(await send({ to: 'a' })).toMatchObject({ kind: 'ok', cached: true });
      expect(upstream.calls).toBe(5);
    },
  );

  it.each([refusedConnection(), response(429)])(
    'conflicts where an attempt before the last may have had its effect (last: $kind)',
    async (last) => {
      const retry = { maxAttempts: 2, baseMs: 0, maxMs: 0, maxWaitMs: 1000 };
      const tool = { ...VARIANTS.header, policy: { ...plain.policy, retry } };
      const { upstream, send, answer } = start(tool);
      void send({ to: 'a' });
      await answer(reset());
      await vi.advanceTimersByTimeAsync(1);
      await answer(last);
      expect(await send({ to: 'b' })).toEqual({ kind: 'idempotency-conflict' });
      expect(upstream.calls).toBe(2);
    },
  );
});
