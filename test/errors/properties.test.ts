// What holds of every classification there can be.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  breakerVerdict,
  classify,
  classifyOnce,
  type VerdictContext,
} from '../../src/errors/classify.js';
import type { FailedOutcome } from '../../src/errors/outcome.js';
import { anyOutcome, anySubject } from './arbitrary.js';
import { mcpSubject, response, subject } from './helpers.js';
import { expectValid } from './valid-info.js';

const RUNS = { numRuns: 1500 };
const failure = fc.tuple(anyOutcome, anySubject, fc.boolean());

describe('for any outcome of any tool', () => {
  it('the verdict is a valid ErrorInfo: category by code, retryable within it, wait in 0..24 h', () => {
    fc.assert(
      fc.property(failure, ([outcome, tool, keySent]) => {
        expectValid(classify(outcome, tool, keySent));
      }),
      RUNS,
    );
  });

  it('no evidence is so odd that reading it fails', () => {
    fc.assert(
      fc.property(failure, ([outcome, tool, keySent]) => {
        expect(classify(outcome, tool, keySent).info.message).not.toContain('could not be read');
      }),
      RUNS,
    );
  });

  it('an unknown effect of a tool that is not idempotent is never retryable without a key', () => {
    fc.assert(
      fc.property(anyOutcome, anySubject, (outcome, tool) => {
        const { info } = classify(outcome, { ...tool, idempotent: false }, false);
        if (info.effect === 'unknown') expect(info.retryable).toBe(false);
      }),
      RUNS,
    );
  });

  it('retryable is what the category allows, the cause promises and the effect permits', () => {
    fc.assert(
      fc.property(failure, ([outcome, tool, keySent]) => {
        const { info } = classify(outcome, tool, keySent);
        if (info.retryable) expect(info.details.transient).toBe(true);
        if (info.retry_after_ms !== null && info.details.classified_by !== 'upstream') {
          expect(info.details.transient).toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('idempotence and a key never change anything but retryable', () => {
    fc.assert(
      fc.property(anyOutcome, anySubject, (outcome, tool) => {
        // A key makes one difference: a 409 may be about the key itself; an isError text is prose.
        fc.pre(outcome.kind !== 'response' || outcome.status !== 409);
        fc.pre(outcome.kind !== 'mcp-result');
        const strip = (c: ReturnType<typeof classify>) => ({
          ...c,
          info: { ...c.info, retryable: null },
          cooldownMs: null,
          refusedBeforeExecution: null,
        });
        const a = classify(outcome, { ...tool, idempotent: true }, true);
        const b = classify(outcome, { ...tool, idempotent: false }, false);
        // Absolute waits move with the clock between the two.
        expect({ ...strip(a).info, retry_after_ms: null, details: null }).toEqual({
          ...strip(b).info,
          retry_after_ms: null,
          details: null,
        });
        if (b.info.retryable) expect(a.info.retryable).toBe(true);
      }),
      RUNS,
    );
  });

  it('classifying what was classified changes nothing', () => {
    fc.assert(
      fc.property(failure, ([outcome, tool, keySent]) => {
        const { info, status } = classify(outcome, tool, keySent);
        expect(classify({ kind: 'stored', info, status }, tool, keySent).info).toEqual(info);
        // A gateway behind a gateway: the same verdict, but for who said it.
        const bare = { ...tool, rules: subject().rules };
        const again = classify(response(500, {}, { error_info: info }), bare, keySent);
        expect({ ...again.info, details: null }).toEqual({ ...info, details: null });
        expect(again.status).toBe(status);
      }),
      RUNS,
    );
  });

  it('the remembered verdict is the verdict, and the breaker hears the same', () => {
    fc.assert(
      fc.property(failure, ([outcome, tool, keySent]) => {
        const call = { keySent, verdict: undefined };
        const once = classifyOnce(outcome, tool, call);
        expect(classifyOnce(outcome, tool, call)).toBe(once);
        expect(breakerVerdict(outcome, tool, call)).toBe(once.breaker);
        expect(breakerVerdict({ kind: 'ok', result: { kind: 'text', text: '' } }, tool, call)).toBe(
          'success',
        );
      }),
      { numRuns: 500 },
    );
  });

  it('a verdict is remembered for its outcome, tool and key, and for no other call', () => {
    const shared: FailedOutcome = { kind: 'not-permitted' };
    const a = subject({ toolName: 'a' });
    const call: VerdictContext & { keySent: boolean } = { keySent: false, verdict: undefined };
    const first = classifyOnce(shared, a, call);
    expect(classifyOnce(shared, a, { keySent: false, verdict: undefined })).not.toBe(first);
    expect(classifyOnce({ kind: 'not-permitted' }, a, call)).not.toBe(first);
    const b = classifyOnce(shared, subject({ toolName: 'b' }), call);
    expect([first.info.details.tool_name, b.info.details.tool_name]).toEqual(['a', 'b']);
    const unsent = classifyOnce(shared, a, call);
    call.keySent = true;
    expect(classifyOnce(shared, a, call)).not.toBe(unsent);
  });
});

describe('no configured secret in any output, for arbitrary upstream bytes', () => {
  const secret = fc.stringMatching(/^[A-Za-z0-9+/=_!@#-]{10,40}$/);
  const noise = fc.string({ maxLength: 300, unit: 'binary' });
  const places: readonly ((s: string, n: string) => FailedOutcome)[] = [
    (s, n) => response(500, {}, `${n} ${s} ${n}`),
    (s, n) => response(400, {}, { error: { code: s, message: n + s } }),
    (s, n) =>
      response(
        400,
        { 'content-type': 'application/problem+json' },
        { type: `https://x/${s}`, title: n, detail: s },
      ),
    (s) => response(400, { 'x-amzn-errortype': s }, ''),
    (s, n) => response(500, {}, { errors: [{ code: s, detail: n + s }] }),
    (s, n) => response(500, { 'set-cookie': s, location: s }, n),
    (s, n) =>
      response(
        500,
        {},
        {
          error_info: {
            code: 'TOOL_TIMEOUT',
            category: 'timeout',
            message: n + s,
            retryable: true,
            retry_after_ms: null,
            effect: 'unknown',
            details: { [s]: s, list: [{ s }] },
          },
        },
      ),
    (s, n) => response(200, {}, { ok: false, error: s, error_description: n + s }),
    (s, n) => ({
      kind: 'transport',
      phase: 'connecting',
      error: Object.assign(new Error(n + s, { cause: s }), { code: s, name: s }),
    }),
    (s, n) => ({
      kind: 'thrown',
      error: Object.assign(new Error(`${n} ${s}`), { name: s, status: 500, code: s }),
    }),
    (s, n) => ({ kind: 'thrown', error: n + s }),
    (s, n) => ({
      kind: 'thrown',
      error: {
        [Symbol.for('toolgate.tool-error')]: 'argument_validation',
        code: 'x',
        message: n + s,
        errors: { [s]: s },
      },
    }),
    (s, n) => ({
      kind: 'mcp-result',
      problem: 'is_error',
      text: n + s,
      structuredContent: { [s]: [s] },
    }),
    (s, n) => ({ kind: 'mcp-error', code: -32042, message: s + n, data: { url: s } }),
    (s) => ({
      kind: 'mcp-connection',
      problem: 'child_exited',
      exitSignal: s,
      error: new Error(s),
    }),
    (s, n) => ({
      kind: 'result-invalid',
      problem: 'schema',
      explanation: s,
      errors: { [`/${s}`]: s },
      content: [n, { [s]: s }],
    }),
    (s) => ({ kind: 'invalid-arguments', errors: { [`/${s}`]: s } }),
    (s) => ({ kind: 'misconfigured', explanation: s }),
    (s) => ({ kind: 'internal', requestId: s }),
  ];
  const travel = fc.constantFrom<(s: string) => string>(
    (s) => s,
    (s) => Buffer.from(s).toString('base64'),
    (s) => encodeURIComponent(s),
    (s) => `https://user:${encodeURIComponent(s)}@host/x?key=${encodeURIComponent(s)}`,
    (s) => `Bearer ${s}`,
    (s) => `Basic ${Buffer.from(`u:${s}`).toString('base64')}`,
  );

  it.each(places.map((place, i) => [i, place] as const))('place %i', (_i, place) => {
    fc.assert(
      fc.property(secret, noise, travel, fc.boolean(), (s, n, form, mcp) => {
        const carried = form(s);
        const tool = (mcp ? mcpSubject : subject)({ secrets: [s], toolName: 'tool' });
        const text = JSON.stringify(classify(place(carried, n), tool, false).info);
        for (const shape of [s, encodeURIComponent(s), Buffer.from(s).toString('base64')]) {
          expect(text).not.toContain(JSON.stringify(shape).slice(1, -1));
        }
      }),
      { numRuns: 60 },
    );
  });
});
