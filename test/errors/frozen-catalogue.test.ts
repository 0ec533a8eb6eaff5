// Codes are public API. This table changes only with a version: a new line with a minor one, a
// changed or removed line with a major one.
import { describe, expect, it } from 'vitest';
import { CATALOGUE, CATEGORIES, ERROR_CODES, type ErrorCode } from '../../src/errors/catalogue.js';

// prettier-ignore
const FROZEN = {
  // code                   category           transient when nothing more is known
  TOOL_NOT_FOUND:           ['not_found',      false],
  TOOL_REGISTRATION_FAILED: ['configuration',  false],
  TOOL_EXECUTION_FAILED:    ['execution',      false],
  TOOL_TIMEOUT:             ['timeout',        true],
  TOOL_CANCELLED:           ['cancelled',      false],
  TOOL_VALIDATION_ERROR:    ['validation',     false],
  TOOL_ARGUMENT_ERROR:      ['validation',     false],
  TOOL_RESULT_ERROR:        ['validation',     false],
  TOOL_RATE_LIMITED:        ['rate_limit',     true],
  TOOL_CIRCUIT_OPEN:        ['circuit_open',   true],
  BULKHEAD_FULL:            ['bulkhead_full',  true],
  PARSER_ERROR:             ['validation',     false],
  PARSER_INVALID_FORMAT:    ['validation',     false],
  MCP_CONNECTION_FAILED:    ['connection',     true],
  MCP_TRANSPORT_ERROR:      ['connection',     true],
  MCP_SERVER_ERROR:         ['execution',      false],
  MCP_TIMEOUT:              ['timeout',        true],
  RESOURCE_EXHAUSTED:       ['bulkhead_full',  true],
  CONFIGURATION_ERROR:      ['configuration',  false],
  TOOL_DECLINED:            ['declined',       false],
  TOOL_NOT_PERMITTED:       ['permission',     false],
  UPSTREAM_FORBIDDEN:       ['permission',     false],
  UPSTREAM_AUTH_FAILED:     ['configuration',  false],
  UPSTREAM_QUOTA_EXHAUSTED: ['configuration',  false],
  UPSTREAM_INVALID_REQUEST: ['validation',     false],
  UPSTREAM_REJECTED:        ['execution',      false],
  UPSTREAM_SERVER_ERROR:    ['execution',      true],
  UPSTREAM_UNAVAILABLE:     ['connection',     true],
  TOOL_CONNECTION_FAILED:   ['connection',     true],
  TOOL_TRANSPORT_ERROR:     ['connection',     true],
  TOOL_RESULT_TOO_LARGE:    ['validation',     false],
  TOOL_INPUT_REQUIRED:      ['validation',     false],
  IDEMPOTENCY_CONFLICT:     ['validation',     false],
  DEPENDENCY_FAILED:        ['cancelled',      false],
  UNMAPPED_FAILURE:         ['execution',      false],
  INTERNAL_ERROR:           ['configuration',  false],
} as const satisfies Record<ErrorCode, readonly [category: string, transient: boolean]>;

// prettier-ignore
const FROZEN_CATEGORIES = {
  rate_limit: true, circuit_open: true, bulkhead_full: true, timeout: true, execution: true, connection: true,
  validation: false, not_found: false, cancelled: false, configuration: false, permission: false, declined: false,
} as const satisfies Record<keyof typeof CATEGORIES, boolean>;

describe('the frozen catalogue', () => {
  it('has these codes, with these categories and defaults', () => {
    const now = Object.fromEntries(
      ERROR_CODES.map((c) => [c, [CATALOGUE[c].category, CATALOGUE[c].transient]]),
    );
    expect(now).toEqual(FROZEN);
  });

  it('has these categories', () => {
    const now = Object.fromEntries(
      Object.entries(CATEGORIES).map(([c, { mayRetry }]) => [c, mayRetry]),
    );
    expect(now).toEqual(FROZEN_CATEGORIES);
  });

  it.each(ERROR_CODES)('%s says what happened and since when', (code) => {
    expect(code).toMatch(/^[A-Z][A-Z_]*[A-Z]$/);
    expect(CATALOGUE[code].when).toMatch(/^[A-Z].*\.$/);
    expect(CATALOGUE[code].since).toMatch(/^\d+\.\d+$/);
  });
});
