// What a whole request fails with: fixed words, whatever was thrown.
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { problemPlugin } from '../../src/plugins/problem.js';
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

describe('the request id', () => {
  it.each<[string, string, RegExp]>([
    ['the caller’s own where it is harmless', 'trace_42-b', /^\/requests\/trace_42-b$/],
    ['a new one where it is long', 'x'.repeat(5000), /^\/requests\/[\da-f-]{36}$/],
    ['a new one where it holds anything else', 'a b<script>', /^\/requests\/[\da-f-]{36}$/],
  ])('is %s', async (_name, id, instance) => {
    harness = await startHarness({});
    const response = await harness.app.inject({ url: '/nope', headers: { 'x-request-id': id } });
    expect(response.json().instance).toMatch(instance);
  });
});
