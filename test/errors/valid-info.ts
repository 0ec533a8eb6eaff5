// What must hold of every classification, whatever went in.
import { expect } from 'vitest';
import { CATALOGUE, CATEGORIES } from '../../src/errors/catalogue.js';
import type { Classification } from '../../src/errors/error-info.js';

/** Asserts that a classification keeps the contract and is plain JSON. */
export function expectValid(c: Classification): void {
  const { info } = c;
  expect(CATALOGUE).toHaveProperty(info.code);
  expect(info.category).toBe(CATALOGUE[info.code].category);
  expect(info.message.length).toBeGreaterThan(0);
  expect(info.message.length).toBeLessThanOrEqual(500);
  expect(info.message).not.toMatch(/[\p{Cc}\p{Cf}\p{Surrogate}]/u);
  expect(typeof info.retryable).toBe('boolean');
  if (info.retryable) expect(CATEGORIES[info.category].mayRetry).toBe(true);
  if (info.retry_after_ms !== null) {
    expect(Number.isInteger(info.retry_after_ms)).toBe(true);
    expect(info.retry_after_ms).toBeGreaterThanOrEqual(0);
    expect(info.retry_after_ms).toBeLessThanOrEqual(86_400_000);
  }
  expect(['not_sent', 'completed', 'unknown']).toContain(info.effect);
  expect(info.details).toMatchObject({
    tool_name: expect.any(String),
    attempts: 0,
    transient: expect.any(Boolean),
    classified_by: expect.any(String),
  });
  expect(c.status).toBe(info.category === 'declined' ? 'declined' : 'error');
  expect(['failure', 'success', 'neutral']).toContain(c.breaker);
  expect(JSON.parse(JSON.stringify(info))).toEqual(info);
  expect(JSON.stringify(info).length).toBeLessThan(100_000);
}
