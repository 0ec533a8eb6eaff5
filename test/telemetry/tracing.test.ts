import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { createTracer } from '../../src/telemetry/tracing.js';
import {
  formatTraceparent,
  parseTraceparent,
  usableTraceparent,
} from '../../src/telemetry/traceparent.js';
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

describe('spans', () => {
  test('stand as batch, call, attempt, under the caller of the request', () => {
    const { tracer, spans } = recording();
    const batch = tracer.startBatch({ traceparent: INBOUND, tracestate: 'vendor=1' });
    const call = batch.startCall('weather.forecast')!;
    const running = call.startAttempt(1);
    running.end(null);
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
    expect(running.traceparent).toBe(formatTraceparent(attempt!.spanContext()));
    expect(attempt!.attributes['toolgate.outcome']).toBe('ok');
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

  test('of attempts say which one it was and how it failed, or that the tool said no', () => {
    const { tracer, spans } = recording();
    const call = tracer.startBatch({}).startCall('t')!;
    call.startAttempt(2).end(info('TOOL_TIMEOUT'));
    call.startAttempt(3).end(info('TOOL_DECLINED'));
    const [timeout, declined] = spans();
    expect(timeout!.attributes).toEqual({
      'toolgate.tool': 't',
      'toolgate.attempt': 2,
      'toolgate.outcome': 'error',
      'toolgate.code': 'TOOL_TIMEOUT',
      'toolgate.category': 'timeout',
      'error.type': 'TOOL_TIMEOUT',
    });
    expect(timeout!.status.code).toBe(SpanStatusCode.ERROR);
    expect(declined!.attributes).toMatchObject({ 'toolgate.outcome': 'declined' });
    expect(declined!.status.code).toBe(SpanStatusCode.UNSET);
  });

  test('are not made where nobody records, and an inbound context goes on', () => {
    const idle = createTracer();
    expect(idle.startBatch({})).toBe(idle.startBatch({}));
    expect(idle.startBatch({}).startCall('t')).toBeUndefined();
    const passing = idle.startBatch({ traceparent: INBOUND });
    expect(passing.traceparent).toBe(INBOUND);
    expect(passing.traceId).toBeUndefined();
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
    expect(usableTraceparent(header)).toBe(readable ? header?.trim() : undefined);
  });

  test('comes back as it was', () => {
    for (const header of [INBOUND, INBOUND.replace(/01$/, '00')]) {
      expect(formatTraceparent(parseTraceparent(header)!)).toBe(header);
    }
  });
});
