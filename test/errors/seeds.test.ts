// The examples of the documents that this taxonomy grew from. Where they disagree with each other,
// the taxonomy has decided; the notes say how.
import { describe, expect, it } from 'vitest';
import { fiveBucketView } from '../../src/errors/bucket.js';
import { CATALOGUE, CATEGORIES, type ErrorCode } from '../../src/errors/catalogue.js';
import { classify } from '../../src/errors/classify.js';
import type { FailedOutcome } from '../../src/errors/outcome.js';
import { classifyReported, type ReportedError } from '../../src/errors/report.js';
import { coded, infoOf, mcpSubject, of, subject } from './helpers.js';

describe('classifying tool errors: the five example calls', () => {
  const known = new Set(['search', 'calculator']);
  const classifyToolError = (tool: string, error: ReportedError): readonly [string, boolean] => {
    const report = known.has(tool)
      ? { error }
      : { unknownTool: { name: tool, availableTools: [...known], suggestions: ['search'] } };
    const { bucket, error_info } = classifyReported(
      report,
      subject({ toolName: tool, kind: 'none' }),
    );
    return [bucket, error_info.retryable];
  };

  it.each([
    ['web_search', { type: 'ValueError', message: 'bad' }, 'unknown_tool', false],
    ['search', { type: 'TimeoutError', message: 'request timed out' }, 'transient', true],
    ['calculator', { type: 'ValueError', message: 'invalid operand' }, 'validation', false],
    ['search', { type: 'RuntimeError', message: 'upstream tool error' }, 'tool_error', false],
    ['search', { type: 'MemoryError', message: 'out of memory' }, 'unexpected', false],
    ['search', { type: 'RuntimeError', message: 'request timed out' }, 'transient', true],
  ] as const)('(%s, %o) is %s', (tool, error, bucket, retryable) => {
    expect(classifyToolError(tool, error)).toEqual([bucket, retryable]);
  });

  const TYPES: Readonly<Record<string, readonly string[]>> = {
    transient: ['TimeoutError', 'RateLimitError', 'ConnectionError', 'ServiceUnavailableError'],
    validation: ['ValidationError', 'ValueError', 'TypeError', 'KeyError'],
    tool_error: ['ToolError', 'RuntimeError'],
    unexpected: ['MemoryError', 'OSError', 'Exception', ''],
  };
  const SIGNALS: Readonly<Record<string, readonly string[]>> = {
    transient: [
      'TIMEOUT',
      'timed out',
      'Rate Limit',
      'too many requests',
      '429',
      '503',
      'temporarily unavailable',
    ],
    validation: ['invalid', 'VALIDATION', 'required', 'missing argument'],
    tool_error: ['Tool Error'],
    unexpected: ['whatever', ''],
  };

  it.each(
    Object.entries(TYPES).flatMap(([bucket, types]) => types.map((t) => [t, bucket] as const)),
  )('type %j is %s', (type, bucket) => {
    expect(classifyToolError('search', { type, message: 'x' })[0]).toBe(bucket);
  });

  it.each(
    Object.entries(SIGNALS).flatMap(([bucket, words]) => words.map((w) => [w, bucket] as const)),
  )('message %j is %s', (message, bucket) => {
    expect(classifyToolError('search', { type: 'Exception', message })).toEqual([
      bucket,
      bucket === 'transient',
    ]);
  });
});

describe('the CHUK taxonomy', () => {
  // prettier-ignore
  const CATEGORY_ROWS = {
    rate_limit: true, circuit_open: true, bulkhead_full: true, timeout: true, execution: true, connection: true,
    validation: false, not_found: false, cancelled: false, configuration: false,
  } as const;
  it.each(Object.entries(CATEGORY_ROWS))('category %s: retryable %s', (category, retryable) => {
    expect(CATEGORIES[category as keyof typeof CATEGORY_ROWS].mayRetry).toBe(retryable);
  });

  // prettier-ignore
  const CODE_ROWS: Readonly<Partial<Record<ErrorCode, string>>> = {
    TOOL_NOT_FOUND: 'not_found', TOOL_REGISTRATION_FAILED: 'configuration',
    TOOL_EXECUTION_FAILED: 'execution', TOOL_TIMEOUT: 'timeout', TOOL_CANCELLED: 'cancelled',
    TOOL_VALIDATION_ERROR: 'validation', TOOL_ARGUMENT_ERROR: 'validation', TOOL_RESULT_ERROR: 'validation',
    TOOL_RATE_LIMITED: 'rate_limit', TOOL_CIRCUIT_OPEN: 'circuit_open', BULKHEAD_FULL: 'bulkhead_full',
    PARSER_ERROR: 'validation', PARSER_INVALID_FORMAT: 'validation',
    MCP_CONNECTION_FAILED: 'connection', MCP_TRANSPORT_ERROR: 'connection', MCP_SERVER_ERROR: 'execution', MCP_TIMEOUT: 'timeout',
    RESOURCE_EXHAUSTED: 'bulkhead_full', CONFIGURATION_ERROR: 'configuration',
  };
  it('has all 19 codes, each in its category', () => {
    expect(Object.keys(CODE_ROWS)).toHaveLength(19);
    for (const [code, category] of Object.entries(CODE_ROWS)) {
      expect(CATALOGUE[code as ErrorCode].category).toBe(category);
    }
  });

  // "These errors may succeed if retried", and the reverse.
  it.each([
    'TOOL_TIMEOUT',
    'MCP_TIMEOUT',
    'MCP_TRANSPORT_ERROR',
    'RESOURCE_EXHAUSTED',
    'TOOL_RATE_LIMITED',
    'TOOL_CIRCUIT_OPEN',
  ] as const)('%s may be retried', (code) => {
    expect(CATALOGUE[code].transient).toBe(true);
    expect(CATEGORIES[CATALOGUE[code].category].mayRetry).toBe(true);
  });
  it.each([
    'TOOL_NOT_FOUND',
    'TOOL_VALIDATION_ERROR',
    'TOOL_ARGUMENT_ERROR',
    'PARSER_ERROR',
    'PARSER_INVALID_FORMAT',
    'CONFIGURATION_ERROR',
  ] as const)('%s may not', (code) => {
    expect(CATEGORIES[CATALOGUE[code].category].mayRetry).toBe(false);
  });

  // "Error Details Reference": names and units (seconds).
  // prettier-ignore
  const DETAILS: readonly (readonly [name: string, outcome: FailedOutcome, details: object, mcp?: true])[] = [
    ['ToolNotFoundError', { kind: 'unknown-tool', availableTools: ['calculator', 'weather', 'database'], suggestions: [] },
      { tool_name: 'tool', available_tools: ['calculator', 'weather', 'database'] }],
    ['ToolTimeoutError', { kind: 'timeout', scope: 'attempt', phase: 'awaiting_headers', timeoutMs: 30_000 },
      { tool_name: 'tool', timeout: 30, attempts: 0 }],
    ['ToolValidationError', { kind: 'invalid-arguments', errors: { '/operation': 'field required', '/a': 'must be number' } },
      { tool_name: 'tool', validation_type: 'arguments', errors: { '/operation': 'field required', '/a': 'must be number' } }],
    ['ToolValidationError, result', { kind: 'result-invalid', problem: 'schema', explanation: 'No match.', errors: { '/a': 'x' } },
      { tool_name: 'tool', validation_type: 'result', errors: { '/a': 'x' } }],
    ['ToolRateLimitedError', { kind: 'rate-limited', scope: 'tool', retryAfterMs: 45_200, limit: 100 },
      { tool_name: 'tool', retry_after: 45.2, limit: 100 }],
    ['ToolCircuitOpenError', { kind: 'circuit-open', failureCount: 5, retryAfterMs: 59_000, resetTimeoutMs: 60_000 },
      { tool_name: 'tool', failure_count: 5, reset_timeout: 60 }],
    ['MCPConnectionError', { kind: 'mcp-connection', problem: 'connect_failed', error: coded('ECONNREFUSED') },
      { server_name: 'srv', reason: 'Connection refused' }, true],
    ['MCPTimeoutError', { kind: 'timeout', scope: 'attempt', phase: 'awaiting_headers', timeoutMs: 30_000 },
      { server_name: 'srv', operation: 'tool_call', timeout: 30 }, true],
  ];
  it.each(DETAILS.map(([name, ...rest]) => [name, rest] as const))(
    'details of %s',
    (_name, [outcome, details, mcp]) => {
      const { info } = classify(outcome, mcp === true ? mcpSubject() : subject(), false);
      expect(info.details).toMatchObject(details);
    },
  );
});

describe('the tool-errors page', () => {
  it('a refusal is data: declined, not retried, no failure', () => {
    const rules = [
      {
        when: { status: 409 },
        then: { declined: 'booking_not_cancellable', message: 'this fare is non-refundable' },
      },
    ];
    const c = of({ kind: 'response', status: 409, headers: {}, body: '' }, { rules });
    expect([c.status, c.info.retryable, c.breaker]).toEqual(['declined', false, 'success']);
    expect(c.info).toMatchObject({
      reason: 'booking_not_cancellable',
      message: 'this fare is non-refundable',
    });
  });

  it('anything untyped is retried only where the tool is idempotent', () => {
    const outcome: FailedOutcome = { kind: 'thrown', error: new DOMException('x', 'TimeoutError') };
    expect([
      infoOf(outcome, { idempotent: true }).retryable,
      infoOf(outcome, { idempotent: false }).retryable,
    ]).toEqual([true, false]);
  });

  it('an unmapped exception is a permanent unmapped_failure', () => {
    expect(infoOf({ kind: 'thrown', error: new Error('boom') })).toMatchObject({
      code: 'UNMAPPED_FAILURE',
      reason: 'unmapped_failure',
      retryable: false,
    });
  });
});

describe('the five-bucket view', () => {
  // prettier-ignore
  it.each([
    [{ kind: 'unknown-tool', availableTools: [], suggestions: [] }, 'unknown_tool'],
    [{ kind: 'circuit-open', failureCount: 1, retryAfterMs: 1, resetTimeoutMs: 1 }, 'transient'],
    [{ kind: 'response', status: 503, headers: {}, body: '' }, 'transient'],
    [{ kind: 'response', status: 422, headers: {}, body: '' }, 'validation'],
    [{ kind: 'invalid-arguments', errors: {} }, 'validation'],
    [{ kind: 'response', status: 404, headers: {}, body: '' }, 'tool_error'],
    [{ kind: 'thrown', error: 'boom' }, 'unexpected'],
    [{ kind: 'not-permitted' }, 'unexpected'],
    [{ kind: 'response', status: 401, headers: {}, body: '' }, 'unexpected'],
    [{ kind: 'cancelled', reason: 'client_left', phase: 'queued' }, 'unexpected'],
  ] as const)('%o is %s', (outcome, bucket) => {
    expect(fiveBucketView(infoOf(outcome))).toBe(bucket);
  });

  it("declined is the tool's own word; transient stays so even where repeating is unsafe", () => {
    const rules = [{ when: { status: 409 }, then: { declined: 'no' } }];
    expect(
      fiveBucketView(infoOf({ kind: 'response', status: 409, headers: {}, body: '' }, { rules })),
    ).toBe('tool_error');
    expect(
      fiveBucketView(
        infoOf({ kind: 'response', status: 503, headers: {}, body: '' }, { idempotent: false }),
      ),
    ).toBe('transient');
  });
});
