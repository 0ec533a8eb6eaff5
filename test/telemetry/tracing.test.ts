import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import {
  Attempt,
  type CallContext,
  type ResolvedCall,
  type UpstreamInvoke,
} from '../../src/call.js';
import { Cancellation } from '../../src/cancellation.js';
import type { Outcome } from '../../src/errors/outcome.js';
import { createTracer, traceAttempts } from '../../src/telemetry/tracing.js';
import { formatTraceparent, parseTraceparent } from '../../src/telemetry/traceparent.js';
import { info, result } from './fixtures/results.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const INBOUND = `00-${TRACE_ID}-b7ad6b7169203331-01`;

function recording() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: createTracer(provider), spans: () => exporter.getFinishedSpans() };
}

const find = (spans: readonly ReadableSpan[], name: string): ReadableSpan => {
  const span = spans.find((one) => one.name === name);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
};

function context(trace?: CallContext['trace']): CallContext {
  return {
    client: '',
    runId: undefined,
    batchId: 'b',
    deadlineAt: 1e9,
    deadlineScope: 'deadline',
    deadlineMs: 1e9,
    cancellation: new Cancellation(),
    attempts: 0,
    attemptLog: undefined,
    retryStoppedBy: undefined,
    effectMayHaveHappened: false,
    keySent: false,
    queuedMs: 0,
    lingering: undefined,
    ...(trace !== undefined && { trace }),
  };
}

const CALL = {} as ResolvedCall;
const OK: Outcome = { kind: 'ok', result: { kind: 'value', value: 1 } };

describe('spans', () => {
  test('stand as batch, call, attempt, under the caller of the request', async () => {
    const { tracer, spans } = recording();
    const batch = tracer.startBatch({ traceparent: INBOUND, tracestate: 'vendor=1' });
    const call = batch.startCall('weather.forecast')!;
    const seen: (string | undefined)[] = [];
    const upstream: UpstreamInvoke = (_call, attempt) => {
      seen.push(attempt.traceparent);
      return Promise.resolve(OK);
    };
    await traceAttempts(upstream, () => info('TOOL_TIMEOUT'))(
      CALL,
      new Attempt(context(call), 1, 1e9),
    );
    call.end(result('weather.forecast'));
    batch.end([result('weather.forecast')]);

    const [attempt, callSpan, batchSpan] = [
      'attempt weather.forecast',
      'call weather.forecast',
      'batch',
    ].map((name) => find(spans(), name));
    for (const span of spans()) expect(span.spanContext().traceId).toBe(TRACE_ID);
    expect(batchSpan!.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(callSpan!.parentSpanContext?.spanId).toBe(batchSpan!.spanContext().spanId);
    expect(attempt!.parentSpanContext?.spanId).toBe(callSpan!.spanContext().spanId);
    expect([batchSpan!.kind, callSpan!.kind, attempt!.kind]).toEqual([
      SpanKind.SERVER,
      SpanKind.INTERNAL,
      SpanKind.CLIENT,
    ]);
    expect(seen).toEqual([formatTraceparent(attempt!.spanContext())]);
    expect(call.ids).toEqual({ traceId: TRACE_ID, spanId: callSpan!.spanContext().spanId });
    expect(batch.traceId).toBe(TRACE_ID);
    expect(batchSpan!.attributes).toEqual({ 'toolgate.calls': 1, 'toolgate.failed': 0 });
  });

  test('say how a call ended: ok, error, declined, refused', () => {
    const { tracer, spans } = recording();
    const batch = tracer.startBatch({});
    const codes = {
      ok: undefined,
      error: 'TOOL_TIMEOUT',
      declined: 'TOOL_DECLINED',
      refused: 'TOOL_NOT_PERMITTED',
    } as const;
    for (const [outcome, code] of Object.entries(codes)) {
      const call = batch.startCall(outcome)!;
      call.end(result(outcome, code));
      const { attributes, status } = find(spans(), `call ${outcome}`);
      expect(attributes['toolgate.outcome']).toBe(outcome);
      expect(attributes['toolgate.code']).toBe(code);
      const failed = outcome === 'error' || outcome === 'refused';
      expect(status.code).toBe(failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET);
    }
    const { attributes } = find(spans(), 'call error');
    expect(attributes).toEqual({
      'toolgate.tool': 'error',
      'toolgate.outcome': 'error',
      'toolgate.attempts': 1,
      'toolgate.code': 'TOOL_TIMEOUT',
      'toolgate.category': 'timeout',
      'error.type': 'TOOL_TIMEOUT',
    });
  });

  test('hold no message, argument or name that a client made up', () => {
    const { tracer, spans } = recording();
    const batch = tracer.startBatch({});
    const call = batch.startCall('')!;
    const failed = result('made.up', 'TOOL_NOT_FOUND', { id: 'client-made-id' });
    call.end(failed);
    batch.end([failed]);
    const all = JSON.stringify(
      spans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    );
    for (const text of ['made.up', 'client-made-id', 'upstream text']) {
      expect(all).not.toContain(text);
    }
    expect(find(spans(), 'call').attributes['toolgate.code']).toBe('TOOL_NOT_FOUND');
  });

  test('of an attempt that was stopped say why, not what the upstream made of it', async () => {
    const { tracer, spans } = recording();
    const call = tracer.startBatch({}).startCall('t')!;
    const attempt = new Attempt(context(call), 2, 1e9);
    const upstream: UpstreamInvoke = () => {
      attempt.phase = 'awaiting_headers';
      attempt.abort({ kind: 'timeout', scope: 'attempt', timeoutMs: 50 });
      return Promise.resolve({ kind: 'transport', error: new Error('x'), phase: 'sending' });
    };
    const classified: Outcome[] = [];
    await traceAttempts(upstream, (outcome) => {
      classified.push(outcome);
      return info('TOOL_TIMEOUT');
    })(CALL, attempt);
    expect(classified).toEqual([
      { kind: 'timeout', scope: 'attempt', timeoutMs: 50, phase: 'awaiting_headers' },
    ]);
    const { attributes } = find(spans(), 'attempt t');
    expect(attributes).toMatchObject({ 'toolgate.attempt': 2, 'toolgate.code': 'TOOL_TIMEOUT' });
  });

  test('are not made where nobody records, and an inbound context goes on', async () => {
    const idle = createTracer();
    expect(idle.startBatch({})).toBe(idle.startBatch({}));
    expect(idle.startBatch({}).startCall('t')).toBeUndefined();
    const passing = idle.startBatch({ traceparent: INBOUND });
    expect(passing.traceparent).toBe(INBOUND);
    expect(passing.traceId).toBeUndefined();
    const upstream: UpstreamInvoke = () => Promise.resolve(OK);
    const attempt = new Attempt({ ...context(), traceparent: INBOUND }, 1, 1e9);
    await traceAttempts(upstream, () => info('TOOL_TIMEOUT'))(CALL, attempt);
    expect(attempt.traceparent).toBe(INBOUND);
  });

  test('that are not sampled tell the upstream so', () => {
    const provider = new BasicTracerProvider({ sampler: new AlwaysOffSampler() });
    const batch = createTracer(provider).startBatch({ traceparent: INBOUND });
    expect(batch.startCall('t')).toBeUndefined();
    expect(batch.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
  });
});

describe('the traceparent header', () => {
  test.each([
    ['a version to come, with more in it', `cc-${TRACE_ID}-b7ad6b7169203331-01-what`, true],
    ['white space around it', ` ${INBOUND} `, true],
    ['version ff', `ff-${TRACE_ID}-b7ad6b7169203331-01`, false],
    ['version 00 with more in it', `${INBOUND}-what`, false],
    ['upper case', INBOUND.toUpperCase(), false],
    ['no trace id', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, false],
    ['no span id', `00-${TRACE_ID}-${'0'.repeat(16)}-01`, false],
    ['nonsense', 'x'.repeat(10_000), false],
    ['nothing', undefined, false],
  ])('%s', (_name, header, readable) => {
    expect(parseTraceparent(header) !== undefined).toBe(readable);
  });

  test('comes back as it was', () => {
    for (const header of [INBOUND, INBOUND.replace(/01$/, '00')]) {
      expect(formatTraceparent(parseTraceparent(header)!)).toBe(header);
    }
  });
});
