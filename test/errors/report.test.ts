// POST /v1/errors/classify: failures of calls that were made elsewhere.
import { describe, expect, it } from 'vitest';
import { classifyReported, type ReportedError } from '../../src/errors/report.js';
import { subject } from './helpers.js';

const report = (error: ReportedError, idempotent = true) =>
  classifyReported({ error }, subject({ kind: 'none', toolName: '', idempotent })).error_info;

describe('the most telling member decides', () => {
  // prettier-ignore
  it.each<[ReportedError, string]>([
    [{ status: 429, headers: { 'Retry-After': '3' } }, 'TOOL_RATE_LIMITED'],
    [{ status: 503, message: 'invalid, required', type: 'ValueError' }, 'UPSTREAM_UNAVAILABLE'],
    [{ status: 429, code: 'insufficient_quota', message: 'm' }, 'UPSTREAM_QUOTA_EXHAUSTED'],
    [{ status: 429, body: { error: { code: 'insufficient_quota' } } }, 'UPSTREAM_QUOTA_EXHAUSTED'],
    [{ status: 429, body: '{"error":{"code":"insufficient_quota"}}' }, 'UPSTREAM_QUOTA_EXHAUSTED'],
    [{ status: 400, code: 'ThrottlingException' }, 'TOOL_RATE_LIMITED'],
    [{ status: 200, body: { ok: false, error: 'channel_not_found' } }, 'TOOL_EXECUTION_FAILED'],
    [{ jsonrpc_code: -32603, message: 'm' }, 'MCP_SERVER_ERROR'],
    [{ jsonrpc_code: -32602 }, 'TOOL_ARGUMENT_ERROR'],
    [{ code: 'ECONNREFUSED' }, 'TOOL_CONNECTION_FAILED'],
    [{ code: 'ECONNRESET', message: 'timed out' }, 'TOOL_TRANSPORT_ERROR'],
    [{ code: 'insufficient_quota' }, 'UPSTREAM_QUOTA_EXHAUSTED'],
    [{ type: 'ThrottlingException' }, 'TOOL_RATE_LIMITED'],
    [{ code: 'whatever', message: 'rate limit' }, 'TOOL_RATE_LIMITED'],
    [{ type: 'TimeoutError' }, 'TOOL_TIMEOUT'],
    [{ message: 'HTTP 503' }, 'UPSTREAM_UNAVAILABLE'],
    [{ body: 'request timed out' }, 'TOOL_TIMEOUT'],
    [{}, 'UNMAPPED_FAILURE'],
    [{ status: 599 }, 'TOOL_TIMEOUT'],
    [{ status: 999 }, 'UNMAPPED_FAILURE'],
  ])('%o is %s', (error, code) => {
    expect(report(error).code).toBe(code);
  });

  it('reads headers in any case, repeated or not, and leaves others out', () => {
    expect(report({ status: 429, headers: { 'RETRY-AFTER': ['3', '5'] } }).retry_after_ms).toBe(
      5000,
    );
    expect(
      report({ status: 429, headers: { 'Retry-After': 4, x: {}, y: null } }).retry_after_ms,
    ).toBe(4000);
  });

  it('a message stands in for a body that was not given', () => {
    expect(report({ status: 404, message: 'No such city.' }).message).toContain('No such city.');
    expect(
      report({ status: 404, code: 'no_city', message: 'No such city.' }).details['upstream_code'],
    ).toBe('no_city');
  });

  it('what is not known to be repeatable is not called so', () => {
    expect(report({ status: 503 }, false).retryable).toBe(false);
    expect(report({ code: 'ECONNRESET' }, false).retryable).toBe(false);
    expect(report({ code: 'ECONNREFUSED' }, false).retryable).toBe(true);
    expect(report({ message: 'timed out' }, false).retryable).toBe(false);
  });

  it('an unknown tool comes before anything else', () => {
    const { error_info, bucket } = classifyReported(
      { unknownTool: { name: 'web_search', availableTools: ['search'], suggestions: ['search'] } },
      subject({ kind: 'none', toolName: 'web_search' }),
    );
    expect(bucket).toBe('unknown_tool');
    expect(error_info).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      details: { tool_name: 'web_search', suggestions: ['search'] },
    });
  });

  it('a body of any size and shape', () => {
    expect(report({ status: 500, body: 'x'.repeat(1_000_000) }).message.length).toBeLessThanOrEqual(
      500,
    );
    for (const body of [null, 5, true, [], [[]], { error: 5 }, { error: { code: {} } }]) {
      expect(report({ status: 500, body }).code).toBe('UPSTREAM_SERVER_ERROR');
    }
  });
});
