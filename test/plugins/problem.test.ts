// What a whole request fails with: fixed words, whatever was thrown.
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { problemPlugin } from '../../src/plugins/problem.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { type Harness, startHarness } from '../support/harness.js';

let harness: Harness | undefined;

afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

it('a fault of ours says nothing but the request id, and is told to the log', async () => {
  const faults: unknown[] = [];
  const refused: unknown[] = [];
  const app = Fastify();
  await app.register(problemPlugin, {
    onInternalError: (error) => faults.push(error),
    onRefused: (status, code) => refused.push([status, code]),
  });
  const fault = Object.assign(new Error('CANARY in the message'), { detail: 'CANARY' });
  app.get('/', () => {
    throw fault;
  });
  const response = await app.inject('/');
  expect(response.statusCode).toBe(500);
  expect(response.headers['content-type']).toMatch(/problem\+json/);
  expect(response.body).not.toMatch(/CANARY|at .*\.ts/);
  expect(response.json().error_info).toMatchObject({ code: 'INTERNAL_ERROR', retryable: false });
  expect(faults).toEqual([fault]);
  expect(refused).toEqual([[500, 'INTERNAL_ERROR']]);
  await app.close();
});

it('every request that failed as a whole is counted, also where no handler failed', async () => {
  const metrics = createMetrics();
  harness = await startHarness({}, { metrics });
  await harness.app.inject('/nope');
  await harness.app.inject({ method: 'PUT', url: '/v1/errors' });
  await harness.app.inject(`/v1/tools/${'a'.repeat(300)}`);
  await harness.app.inject({ method: 'POST', url: '/v1/tool-calls' });
  const text = await metrics.render();
  for (const [status, code] of [
    [404, 'PARSER_INVALID_FORMAT'],
    [405, 'PARSER_INVALID_FORMAT'],
    [414, 'PARSER_INVALID_FORMAT'],
    [400, 'PARSER_ERROR'],
  ]) {
    expect(text).toContain(
      `toolgate_requests_refused_total{http_status="${status}",code="${code}"} 1`,
    );
  }
});

describe('the request id', () => {
  it.each<[string, string, RegExp]>([
    ['the caller’s own where it is harmless', 'trace_42-b', /^\/requests\/trace_42-b$/],
    ['a new one where it is long', 'x'.repeat(5000), /^\/requests\/[\da-f]{32}$/],
    ['a new one where it holds anything else', 'a b<script>', /^\/requests\/[\da-f]{32}$/],
  ])('is %s', async (_name, id, instance) => {
    harness = await startHarness({});
    const response = await harness.app.inject({ url: '/nope', headers: { 'x-request-id': id } });
    expect(response.json().instance).toMatch(instance);
  });
});
