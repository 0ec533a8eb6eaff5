import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallContext, JsonObject, ToolDefinition } from '../../src/call.js';
import type { Outcome } from '../../src/errors/outcome.js';
import { createMemoryState } from '../../src/state/memory.js';
import type { StatePorts } from '../../src/state/ports.js';
import {
  advance,
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
  scripted,
  settle,
  type ContextOptions,
} from './harness.js';

const writing = makeTool({ timeoutMs: 300 }, { idempotent: false, readOnly: false });

describe('an idempotency key', () => {
  beforeEach(driveClock);
  afterEach(() => vi.useRealTimers());

  function sender(tool: ToolDefinition, invoke: Parameters<typeof makePipeline>[1], deps = {}) {
    const pipeline = makePipeline(tool, invoke, deps);
    return (args: JsonObject = {}, options: ContextOptions = {}, key = 'k') => {
      const ctx = makeContext(options);
      const outcome = pipeline.invoke(
        makeCall(tool, { arguments: args, idempotencyKey: key }),
        ctx,
      );
      return Object.assign(outcome, { ctx });
    };
  }

  it('gets one execution; later calls get its answer, marked as cached', async () => {
    const upstream = scripted({ kind: 'ok', result: { kind: 'value', value: { id: 7 } } });
    const send = sender(writing, upstream.invoke);
    expect(await send()).toMatchObject({ kind: 'ok', result: { value: { id: 7 } } });
    const again = send();
    expect(await again).toEqual({
      kind: 'ok',
      result: { kind: 'json', text: '{"id":7}' },
      cached: true,
    });
    expect([upstream.calls, again.ctx.attempts]).toEqual([1, 0]);
  });

  it('is one of client, tool and key, whatever the order of members', async () => {
    const upstream = scripted(OK);
    const send = sender(writing, upstream.invoke);
    await send({ a: 1, b: { c: [1, 2], d: null } });
    await send({ b: { d: null, c: [1, 2] }, a: 1 });
    expect(upstream.calls).toBe(1);
    await send({ a: 1, b: { c: [1, 2], d: null } }, { client: 'other' });
    await send({ a: 1, b: { c: [1, 2], d: null } }, {}, 'k2');
    expect(upstream.calls).toBe(3);
  });

  it('conflicts with other arguments, while it runs and after', async () => {
    const upstream = new ManualUpstream();
    const send = sender(writing, upstream.invoke);
    const first = send({ to: 'a' });
    await settle();
    expect(await send({ to: 'b' })).toEqual({ kind: 'idempotency-conflict' });
    upstream.open[0]!.answer(OK);
    await first;
    expect(await send({ to: 'b' })).toEqual({ kind: 'idempotency-conflict' });
    expect(upstream.calls).toBe(1);
  });

  it('is forgotten after its time', async () => {
    const upstream = scripted(OK);
    const tool = { ...writing, idempotency: { ttlMs: 60_000 } };
    const send = sender(tool, upstream.invoke);
    await send();
    await advance(59_999);
    await send();
    expect(upstream.calls).toBe(1);
    await advance(1);
    await send();
    expect(upstream.calls).toBe(2);
  });

  it('goes upstream where a header is configured, and that makes repeating safe', async () => {
    const retry = { maxAttempts: 3, baseMs: 10, maxMs: 100, maxWaitMs: 1000 };
    const tool = makeTool(
      { retry },
      { idempotent: false, idempotency: { header: 'idempotency-key', ttlMs: 1000 } },
    );
    const keys: unknown[] = [];
    const upstream = scripted(reset(), OK);
    const send = sender(tool, (call, attempt) => {
      keys.push([call.idempotencyKey, attempt.ctx.keySent]);
      return upstream.invoke(call, attempt);
    });
    const sent = send();
    await advance(100);
    expect((await sent).kind).toBe('ok');
    expect(keys).toEqual([
      ['k', true],
      ['k', true],
    ]);
  });

  it('that went upstream with no attempt so far does not make that one safe to repeat', async () => {
    const state = createMemoryState();
    const upstream = scripted(reset(), OK);
    await sender(writing, upstream.invoke, { state })();
    // A reload that tells the tool to send its keys.
    const sending = { ...writing, idempotency: { header: 'idempotency-key', ttlMs: 1000 } };
    const send = sender(sending, upstream.invoke, { state });
    expect(await send()).toMatchObject({ kind: 'stored', info: { effect: 'unknown' } });
    expect(upstream.calls).toBe(1);
    // A reload that declares the tool idempotent says it of every attempt.
    const idempotent = { ...writing, idempotent: true };
    expect(await sender(idempotent, upstream.invoke, { state })()).toMatchObject({ kind: 'ok' });
  });

  describe('with several callers at once', () => {
    it('shares one execution', async () => {
      const upstream = new ManualUpstream();
      const send = sender(writing, upstream.invoke);
      const all = [send(), send(), send()];
      await settle();
      expect(upstream.open).toHaveLength(1);
      upstream.open[0]!.answer(OK);
      expect(await Promise.all(all)).toEqual([
        OK,
        { ...OK, cached: true },
        { ...OK, cached: true },
      ]);
    });

    it('goes on when the one that started it leaves: the others get the answer', async () => {
      const upstream = new ManualUpstream();
      const send = sender(writing, upstream.invoke);
      const leader = send();
      const follower = send();
      await settle();
      leader.ctx.cancellation.cancel('client_left');
      expect(await leader).toEqual({
        kind: 'cancelled',
        reason: 'client_left',
        phase: 'awaiting_headers',
      });
      expect(upstream.open[0]!.attempt.aborted).toBeUndefined();
      upstream.open[0]!.answer(OK);
      expect(await follower).toMatchObject({ kind: 'ok', cached: true });
    });

    it('stops when the last one leaves', async () => {
      const upstream = new ManualUpstream();
      const send = sender(writing, upstream.invoke);
      const all = [send(), send()];
      await settle();
      all[1]!.ctx.cancellation.cancel('client_left');
      await settle();
      expect(upstream.open[0]!.attempt.aborted).toBeUndefined();
      all[0]!.ctx.cancellation.cancel('shutdown');
      expect(await all[0]!).toMatchObject({ kind: 'cancelled', reason: 'shutdown' });
      expect(upstream.open[0]!.attempt.aborted).toEqual({ kind: 'cancelled', reason: 'shutdown' });
      expect(all.map(({ ctx }) => ctx.cancellation.listenerCount)).toEqual([0, 0]);
    });

    it('lets each keep its own deadline', async () => {
      const upstream = new ManualUpstream();
      const send = sender(writing, upstream.invoke);
      const leader = send();
      const hasty = send({}, { withinMs: 100 });
      await advance(100);
      expect(await hasty).toEqual({
        kind: 'timeout',
        scope: 'deadline',
        phase: 'awaiting_headers',
        timeoutMs: 100,
      });
      upstream.open[0]!.answer(OK);
      expect(await leader).toEqual(OK);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('executes for a follower when the leader’s time ended before anything was sent', async () => {
      const upstream = new ManualUpstream();
      const tool = {
        ...writing,
        policy: {
          ...writing.policy,
          bulkhead: { maxConcurrent: 1, maxQueue: 5, queueTimeoutMs: 5000 },
        },
      };
      const send = sender(tool, upstream.invoke);
      void send({}, {}, 'other');
      const leader = send({}, { withinMs: 100 });
      const follower = send({}, { withinMs: 5000 });
      await advance(100);
      expect(await leader).toMatchObject({ kind: 'timeout', phase: 'queued' });
      upstream.open[0]!.answer(OK);
      await settle();
      upstream.open[0]!.answer(OK);
      expect(await follower).toMatchObject({ kind: 'ok' });
      expect(upstream.calls).toBe(2);
    });
  });

  describe('after a failure', () => {
    it('keeps a definite answer: a refusal stays a refusal', async () => {
      const upstream = scripted(response(422));
      const send = sender(writing, upstream.invoke);
      await send();
      expect(await send()).toMatchObject({
        kind: 'stored',
        status: 'error',
        info: { code: 'UPSTREAM_INVALID_REQUEST', effect: 'completed', details: { attempts: 1 } },
      });
      expect(upstream.calls).toBe(1);
    });

    it.each<[string, Outcome]>([
      ['never sent', refusedConnection()],
      ['refused before execution', response(429)],
      ['an operator’s fault', response(401)],
    ])('is free again where the call was %s', async (_what, outcome) => {
      const upstream = scripted(outcome, OK);
      const send = sender(writing, upstream.invoke);
      expect((await send()).kind).not.toBe('ok');
      expect(await send()).toMatchObject({ kind: 'ok' });
      expect(upstream.calls).toBe(2);
    });

    it('is not executed again where its effect is unknown, and says so', async () => {
      const upstream = scripted(reset(), OK);
      const send = sender(writing, upstream.invoke);
      await send();
      for (let i = 0; i < 3; i += 1) {
        expect(await send()).toMatchObject({
          kind: 'stored',
          info: { code: 'TOOL_TRANSPORT_ERROR', effect: 'unknown', retryable: false },
        });
      }
      expect(upstream.calls).toBe(1);
    });

    it('stays unknown through a timeout and through a cancellation while sending', async () => {
      for (const end of ['timeout', 'cancel']) {
        const upstream = new ManualUpstream();
        const send = sender(writing, upstream.invoke);
        const first = send();
        await settle();
        if (end === 'cancel') first.ctx.cancellation.cancel('client_left');
        await advance(300);
        await first;
        expect(await send()).toMatchObject({ kind: 'stored', info: { effect: 'unknown' } });
        expect(upstream.calls).toBe(1);
      }
    });

    it('stays unknown through a fault of ours: it is not said to have sent nothing', async () => {
      const heard: unknown[] = [];
      const broken = new Error('a fault of ours');
      const upstream = scripted(response(503), OK);
      const send = sender(writing, upstream.invoke, {
        onInternalError: (error: unknown) => heard.push(error),
        random: () => {
          throw broken;
        },
      });
      expect(await send()).toEqual({ kind: 'internal', requestId: 'request' });
      expect(await send()).toMatchObject({ kind: 'stored', info: { effect: 'unknown' } });
      expect([upstream.calls, heard]).toEqual([1, [broken]]);
    });

    it('is free where repeating is safe', async () => {
      const upstream = scripted(reset(), OK);
      const tool = { ...writing, idempotent: true };
      const send = sender(tool, upstream.invoke);
      await send();
      expect(await send()).toMatchObject({ kind: 'ok' });
    });
  });

  describe('with a read-back', () => {
    const verify = {
      tool: 'demo.find',
      arguments: { ref: '{ref}', note: 'for {ref}', missing: '{nothing}' },
      confirmedWhen: { pointer: '/found', equals: true },
    };
    const verified = { ...writing, verify };
    const found = (value: boolean): Outcome => ({
      kind: 'ok',
      result: { kind: 'json', text: JSON.stringify({ found: value }) },
    });

    function withReadBack(upstream: Parameters<typeof makePipeline>[1], answers: Outcome[]) {
      const asked: [JsonObject, CallContext][] = [];
      const readBack = (args: JsonObject, ctx: CallContext) => {
        asked.push([args, ctx]);
        return Promise.resolve(answers[Math.min(asked.length - 1, answers.length - 1)]!);
      };
      return { send: sender(verified, upstream, { readBack }), asked };
    }

    it('becomes ok where the effect is confirmed at once, and stays so', async () => {
      const upstream = scripted(reset());
      const { send, asked } = withReadBack(upstream.invoke, [found(true)]);
      const confirmed = { kind: 'ok', cached: true, warnings: ['CONFIRMED_BY_READ_BACK'] };
      expect(await send({ ref: 5 })).toMatchObject(confirmed);
      expect(await send({ ref: 5 })).toMatchObject(confirmed);
      expect(asked.map(([args]) => args)).toEqual([{ ref: 5, note: 'for 5' }]);
      expect(upstream.calls).toBe(1);
    });

    it('is executed again only after a refutation that an aborted attempt can no longer belie', async () => {
      const upstream = scripted(reset(), OK);
      const { send, asked } = withReadBack(upstream.invoke, [found(false)]);
      expect(await send({ ref: 5 })).toMatchObject({ kind: 'transport' });
      await advance(299);
      expect(await send({ ref: 5 })).toMatchObject({ kind: 'stored', info: { effect: 'unknown' } });
      await advance(1);
      expect(await send({ ref: 5 })).toMatchObject({ kind: 'ok' });
      expect([upstream.calls, asked.length]).toEqual([2, 3]);
    });

    it('stays unknown while the read-back itself fails', async () => {
      const upstream = scripted(reset(), OK);
      const { send } = withReadBack(upstream.invoke, [response(503)]);
      await send({ ref: 5 });
      await advance(10_000);
      expect(await send({ ref: 5 })).toMatchObject({ kind: 'stored', info: { effect: 'unknown' } });
      expect(upstream.calls).toBe(1);
    });

    it('does not mix the read-back’s attempts with the call’s own', async () => {
      const upstream = scripted(reset());
      const { send, asked } = withReadBack(upstream.invoke, [response(503)]);
      const first = send({ ref: 5 });
      await first;
      asked[0]![1].attempts = 9;
      expect(first.ctx.attempts).toBe(1);
    });
  });

  describe('with a store that other processes use, too', () => {
    it('waits for the other process’s execution and takes its answer', async () => {
      const state = createMemoryState();
      const upstream = scripted(OK);
      const send = sender(writing, upstream.invoke, { state });
      const hash = await hashOf({});
      const key = ['client', writing.name, 'k'].join('\u0000');
      await state.idempotency.begin(key, hash, 'other', 10_000);
      const waiting = send();
      await advance(250);
      await state.idempotency.settle(
        key,
        'other',
        {
          state: 'final',
          argumentsHash: hash,
          owner: 'other',
          answer: { kind: 'ok', outcome: OK },
        },
        1000,
      );
      await advance(100);
      expect(await waiting).toMatchObject({ kind: 'ok' });
      expect(upstream.calls).toBe(0);
    });

    it('waits for it no longer than its own deadline', async () => {
      const state = createMemoryState();
      const send = sender(writing, scripted(OK).invoke, { state });
      const key = ['client', writing.name, 'k'].join('\u0000');
      await state.idempotency.begin(key, await hashOf({}), 'other', 10_000);
      const waiting = send({}, { withinMs: 130 });
      let ended = false;
      void waiting.then(() => (ended = true));
      await advance(129);
      expect(ended).toBe(false);
      await advance(1);
      expect(ended).toBe(true);
      expect(await waiting).toMatchObject({ kind: 'timeout', phase: 'queued' });
    });

    it('takes an execution for unknown whose process was lost', async () => {
      const state = createMemoryState();
      const upstream = scripted(OK);
      const send = sender(writing, upstream.invoke, { state });
      const key = ['client', writing.name, 'k'].join('\u0000');
      await state.idempotency.begin(key, await hashOf({}), 'lost', 1000);
      await advance(1001);
      expect(await send()).toMatchObject({ kind: 'transport', phase: 'awaiting_headers' });
      expect(upstream.calls).toBe(0);
    });

    it('executes nothing that it could not record', async () => {
      const heard: unknown[] = [];
      const idempotency: StatePorts['idempotency'] = {
        begin: () => Promise.reject(new Error('down')),
        settle: () => Promise.resolve(),
        release: () => Promise.resolve(),
      };
      const upstream = scripted(OK);
      const send = sender(writing, upstream.invoke, {
        state: { ...createMemoryState(), idempotency },
        onInternalError: (error: unknown) => heard.push(error),
      });
      expect(await send()).toMatchObject({ kind: 'transport', phase: 'queued' });
      expect([upstream.calls, heard.length]).toEqual([0, 1]);
    });
  });
});

async function hashOf(args: JsonObject): Promise<string> {
  const { canonicalHash } = await import('../../src/policy/canonical.js');
  return canonicalHash(args);
}
