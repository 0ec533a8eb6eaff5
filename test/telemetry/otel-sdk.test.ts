// The SDK against a collector of ours on loopback.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readTracingRequest, startTracing } from '../../src/telemetry/otel-sdk.js';
import { createTracer } from '../../src/telemetry/tracing.js';
import { result } from './fixtures/results.js';

describe('what the environment asks for', () => {
  const endpoint = 'http://127.0.0.1:4318';

  test.each([
    ['nothing', {}, false],
    ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, true],
    ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }, true],
    ['the exporter', { OTEL_TRACES_EXPORTER: 'otlp' }, true],
    ['a name only', { OTEL_SERVICE_NAME: 'x' }, false],
    ['no traces', { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, false],
    ['no SDK', { OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, false],
  ])('%s', (_name, env, enabled) => {
    expect(readTracingRequest(env)).toEqual({ enabled });
  });

  test('in a way that is not offered is named', () => {
    const grpc = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    for (const env of [grpc, { OTEL_TRACES_EXPORTER: 'zipkin' }]) {
      const request = readTracingRequest(env);
      expect(request.enabled).toBe(false);
      expect(request).toHaveProperty('problem');
    }
  });
});

describe('the SDK', () => {
  let collector: Server | undefined;

  afterEach(() => {
    collector?.closeAllConnections();
    collector?.close();
    vi.unstubAllEnvs();
  });

  async function startCollector(status: number) {
    const bodies: Buffer[] = [];
    const paths: (string | undefined)[] = [];
    collector = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        bodies.push(Buffer.concat(chunks));
        paths.push(request.url);
        response.writeHead(status).end();
      });
    });
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
    return { bodies, paths };
  }

  test('sends what was recorded when it is shut down', async () => {
    const { bodies, paths } = await startCollector(200);
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment=test');
    const failed = vi.fn();
    const sdk = await startTracing('1.2.3', failed);
    const batch = createTracer(sdk.provider).startBatch({});
    batch.startCall('weather.forecast')!.end(result('weather.forecast'));
    batch.end([]);
    await sdk.shutdown();
    expect(paths).toEqual(['/v1/traces']);
    const sent = bodies[0]!.toString('latin1');
    for (const text of ['call weather.forecast', 'toolgate', '1.2.3', 'deployment.environment']) {
      expect(sent).toContain(text);
    }
    expect(failed).not.toHaveBeenCalled();
  });

  test('reports a collector that refuses while it works, once', async () => {
    const { paths } = await startCollector(400);
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '5');
    const failed = vi.fn();
    const sdk = await startTracing('1.2.3', failed);
    const tracer = createTracer(sdk.provider);
    await vi.waitFor(() => {
      tracer.startBatch({}).end([]);
      expect(paths.length).toBeGreaterThan(2);
      expect(failed).toHaveBeenCalled();
    });
    await sdk.shutdown();
    expect(failed).toHaveBeenCalledOnce();
  });

  test('reports a collector that refuses at the end, and still shuts down', async () => {
    await startCollector(400);
    const failed = vi.fn();
    const sdk = await startTracing('1.2.3', failed);
    createTracer(sdk.provider).startBatch({}).end([]);
    await sdk.shutdown();
    expect(failed).toHaveBeenCalledOnce();
  });

  test('does not wait for a collector that says nothing', async () => {
    await startCollector(200);
    collector!.removeAllListeners('request');
    const sdk = await startTracing('1.2.3', () => undefined);
    createTracer(sdk.provider).startBatch({}).end([]);
    await sdk.shutdown(50);
  });
});
