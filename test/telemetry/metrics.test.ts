import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ErrorInfo } from '../../src/errors/error-info.js';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.js';
import { readExposition } from './fixtures/exposition.js';
import { info, result } from './fixtures/results.js';

const WEATHER = { name: 'weather.forecast', idempotent: true };
const MAIL = { name: 'mail.send', idempotent: false };

const read = async (metrics: Metrics) => readExposition(await metrics.render());

const calls = (tool: string, status: string, code = '', category = '') =>
  ['toolgate_calls_total', { tool, status, code, category }] as const;

describe('the metrics of the contract', () => {
  test('have exactly the names, types and labels of the contract', async () => {
    const metrics = createMetrics();
    const meter = metrics.toolObserver(WEATHER);
    metrics.callDone(WEATHER.name, result(WEATHER.name));
    meter.attempt('ok');
    meter.retry('TOOL_TIMEOUT');
    meter.breakerChanged('open');
    meter.queueWaited(3);
    meter.rateLimited('tool');
    metrics.batchDone(1);
    const { name: tool } = WEATHER;
    metrics.setGaugeSource(() => ({
      tools: [{ tool, breaker: 'closed', inFlight: 0, queued: 0 }],
      mcpServers: [],
      logLinesDropped: 0,
    }));
    const { types, series } = await read(metrics);
    const labelsOf = (name: string) => [
      ...new Set(series.filter((s) => s.name === name).flatMap((s) => Object.keys(s.labels))),
    ];
    const expected: Record<string, [type: string, labels: string[]]> = {
      toolgate_calls_total: ['counter', ['tool', 'status', 'code', 'category']],
      toolgate_call_duration_seconds: ['histogram', ['tool', 'status']],
      toolgate_upstream_attempts_total: ['counter', ['tool', 'code']],
      toolgate_retries_total: ['counter', ['tool', 'reason']],
      toolgate_breaker_state: ['gauge', ['tool']],
      toolgate_breaker_transitions_total: ['counter', ['tool', 'to']],
      toolgate_bulkhead_in_flight: ['gauge', ['tool']],
      toolgate_bulkhead_queued: ['gauge', ['tool']],
      toolgate_queue_wait_seconds: ['histogram', ['tool']],
      toolgate_rate_limited_total: ['counter', ['tool', 'scope']],
      toolgate_batch_calls: ['histogram', []],
    };
    for (const [name, [type, labels]] of Object.entries(expected)) {
      expect(types.get(name), name).toBe(type);
      const sample = type === 'histogram' ? `${name}_count` : name;
      expect(labelsOf(sample), name).toEqual(labels);
    }
  });

  test('count calls by status, code and category', async () => {
    const metrics = createMetrics();
    metrics.toolObserver(WEATHER);
    const { name } = WEATHER;
    metrics.callDone(name, result(name));
    metrics.callDone(name, result(name));
    metrics.callDone(name, result(name, 'TOOL_TIMEOUT'));
    metrics.callDone(name, result(name, 'TOOL_DECLINED'));
    const { value } = await read(metrics);
    expect(value(...calls(name, 'ok'))).toBe(2);
    expect(value(...calls(name, 'error', 'TOOL_TIMEOUT', 'timeout'))).toBe(1);
    expect(value(...calls(name, 'declined', 'TOOL_DECLINED', 'declined'))).toBe(1);
    expect(value('toolgate_call_duration_seconds_count', { tool: name, status: 'ok' })).toBe(2);
    const sum = value('toolgate_call_duration_seconds_sum', { tool: name, status: 'ok' });
    expect(sum).toBeCloseTo(0.02468, 6);
  });

  test('never carry a name that no tool has', async () => {
    const metrics = createMetrics();
    metrics.callDone('made.up', result('made.up', 'TOOL_NOT_FOUND'));
    const text = await metrics.render();
    expect(text).not.toContain('made.up');
    const { value } = readExposition(text);
    expect(value(...calls('', 'error', 'TOOL_NOT_FOUND', 'not_found'))).toBe(1);
  });

  test('never carry a code that the catalogue does not have', async () => {
    const metrics = createMetrics();
    const meter = metrics.toolObserver(WEATHER);
    const strange = { ...info('TOOL_TIMEOUT'), code: 'MADE_UP' } as unknown as ErrorInfo;
    metrics.callDone(WEATHER.name, result(WEATHER.name, 'TOOL_TIMEOUT', { errorInfo: strange }));
    meter.attempt('MADE_UP');
    meter.retry('MADE_UP');
    const text = await metrics.render();
    expect(text).not.toContain('MADE_UP');
    expect(text).toContain('code="UNMAPPED_FAILURE"');
    expect(text).toContain('toolgate_retries_total{tool="weather.forecast",reason="other"} 1');
  });

  test('say which calls may have had an effect, and why nobody tried again', async () => {
    const metrics = createMetrics();
    metrics.toolObserver(MAIL);
    const errorInfo = info('TOOL_TIMEOUT', { effect: 'unknown' });
    errorInfo.details['retry_stopped_by'] = 'unsafe_to_repeat';
    metrics.callDone(MAIL.name, result(MAIL.name, 'TOOL_TIMEOUT', { errorInfo }));
    metrics.callDone(MAIL.name, result(MAIL.name, 'TOOL_RATE_LIMITED'));
    const { value } = await read(metrics);
    const tool = MAIL.name;
    expect(value('toolgate_effect_unknown_total', { tool, idempotent: 'false' })).toBe(1);
    expect(value('toolgate_retries_stopped_total', { tool, reason: 'unsafe_to_repeat' })).toBe(1);
  });

  test('stand at zero before the first event, so that its increase is seen', async () => {
    const metrics = createMetrics();
    metrics.toolObserver(MAIL);
    const { value } = await read(metrics);
    expect(value(...calls(MAIL.name, 'ok'))).toBe(0);
    const { name: tool } = MAIL;
    expect(value('toolgate_effect_unknown_total', { tool, idempotent: 'false' })).toBe(0);
    expect(value('toolgate_breaker_transitions_total', { tool, to: 'open' })).toBe(0);
  });

  test('read the gauges when somebody scrapes', async () => {
    const metrics = createMetrics();
    let breaker: 'open' | 'half_open' = 'open';
    metrics.setGaugeSource(() => ({
      tools: [
        { tool: 'a', breaker, inFlight: 3, queued: 2 },
        { tool: 'b', breaker: null, inFlight: 0, queued: 0 },
      ],
      mcpServers: [{ name: 'no\\tes "1"', connected: true }],
      logLinesDropped: 4,
    }));
    const first = await read(metrics);
    expect(first.value('toolgate_breaker_state', { tool: 'a' })).toBe(2);
    expect(first.value('toolgate_breaker_state', { tool: 'b' })).toBeUndefined();
    expect(first.value('toolgate_bulkhead_in_flight', { tool: 'a' })).toBe(3);
    expect(first.value('toolgate_bulkhead_queued', { tool: 'a' })).toBe(2);
    expect(first.value('toolgate_log_lines_dropped_total', {})).toBe(4);
    const server = first.series.find(({ name }) => name === 'toolgate_mcp_server_connected');
    expect(server?.labels['server']).toBe('no\\\\tes \\"1\\"');
    breaker = 'half_open';
    expect((await read(metrics)).value('toolgate_breaker_state', { tool: 'a' })).toBe(1);
  });

  test('lose the series of a tool that is gone and keep those of one that stays', async () => {
    const metrics = createMetrics();
    const kept = metrics.toolObserver(WEATHER);
    metrics.toolObserver(MAIL);
    metrics.callDone(WEATHER.name, result(WEATHER.name));
    metrics.callDone(MAIL.name, result(MAIL.name));
    expect(metrics.toolObserver({ ...WEATHER })).toBe(kept);
    metrics.retainTools([WEATHER.name]);
    const text = await metrics.render();
    expect(text).not.toContain(MAIL.name);
    expect(readExposition(text).value(...calls(WEATHER.name, 'ok'))).toBe(1);
    metrics.callDone(MAIL.name, result(MAIL.name));
    expect(await metrics.render()).not.toContain(MAIL.name);
  });

  test('count what concerns the gateway as a whole', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    metrics.requestRefused(429, 'TOOL_RATE_LIMITED');
    metrics.requestRefused(429, 'TOOL_RATE_LIMITED');
    metrics.configReloaded(true);
    metrics.configReloaded(false);
    metrics.batchDone(7);
    const { value } = await read(metrics);
    const refused = { http_status: '429', code: 'TOOL_RATE_LIMITED' };
    expect(value('toolgate_requests_refused_total', refused)).toBe(2);
    expect(value('toolgate_config_reloads_total', { result: 'refused' })).toBe(1);
    expect(value('toolgate_config_last_reload_ok')).toBe(0);
    expect(value('toolgate_build_info', { version: '1.2.3' })).toBe(1);
    expect(value('toolgate_batch_calls_bucket', { le: '5' })).toBe(0);
    expect(value('toolgate_batch_calls_bucket', { le: '10' })).toBe(1);
  });

  test('belong to one gateway; the process has its own beside them', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.toolObserver(WEATHER);
    one.callDone(WEATHER.name, result(WEATHER.name));
    expect(await other.render()).not.toContain(WEATHER.name);
    for (const metrics of [one, other]) {
      const { types } = await read(metrics);
      expect(types.get('process_cpu_seconds_total')).toBe('counter');
      expect(types.get('nodejs_eventloop_lag_p99_seconds')).toBe('gauge');
    }
  });

  test('give a consistent histogram for any durations', async () => {
    const durations = fc.array(fc.double({ min: 0, max: 400_000, noNaN: true }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(durations, async (all) => {
        const metrics = createMetrics();
        metrics.toolObserver(WEATHER);
        const tool = WEATHER.name;
        for (const durationMs of all)
          metrics.callDone(tool, result(tool, undefined, { durationMs }));
        const { series } = await read(metrics);
        const buckets = series.filter((s) => s.name === 'toolgate_call_duration_seconds_bucket');
        for (const { labels, value } of buckets) {
          const le = Number(labels['le']!.replace('+Inf', 'Infinity'));
          expect(value).toBe(all.filter((ms) => ms / 1000 <= le).length);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('the meter of a tool', () => {
  test('knows how the tool has been lately', () => {
    const meter = createMetrics().toolObserver(WEATHER);
    expect(meter.recent()).toBeUndefined();
    meter.callDone(result(WEATHER.name));
    meter.callDone(result(WEATHER.name, 'TOOL_TIMEOUT'));
    meter.callDone(result(WEATHER.name, 'TOOL_DECLINED'));
    expect(meter.recent()).toMatchObject({ ok: 1, byCategory: { timeout: 1, declined: 1 } });
  });

  test('does not call a tool fast because it was not asked', () => {
    const meter = createMetrics().toolObserver(WEATHER);
    const { name } = WEATHER;
    meter.callDone(result(name, 'TOOL_CIRCUIT_OPEN', { attempts: 0, durationMs: 0.01 }));
    expect(meter.recent()).toMatchObject({ byCategory: { circuit_open: 1 }, p50: null });
  });
});

describe('exemplars', () => {
  const trace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

  test('are on the bucket of the call, in OpenMetrics', async () => {
    const metrics = createMetrics({ exemplars: true });
    expect(metrics.contentType).toContain('application/openmetrics-text');
    metrics.toolObserver(WEATHER);
    metrics.callDone(WEATHER.name, result(WEATHER.name), trace);
    const text = await metrics.render();
    expect(text.endsWith('# EOF\n')).toBe(true);
    expect(text.match(/# EOF/g)).toHaveLength(1);
    const { series, types } = readExposition(text);
    expect(types.get('toolgate_calls')).toBe('counter');
    const marked = series.filter(({ exemplar }) => exemplar !== undefined);
    expect(marked.map(({ labels }) => labels['le'])).toEqual(['0.025']);
    expect(marked[0]?.exemplar).toContain(`trace_id="${trace.traceId}"`);
    // A second scrape says the same: the registry renames counters as it writes.
    expect(await metrics.render()).toContain('toolgate_calls_total{tool="weather.forecast"');
  });

  test('are left out of the classic format', async () => {
    const metrics = createMetrics();
    metrics.toolObserver(WEATHER);
    metrics.callDone(WEATHER.name, result(WEATHER.name), trace);
    expect(await metrics.render()).not.toContain(trace.traceId);
  });
});
