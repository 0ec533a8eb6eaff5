// The table of taxonomy.md "Transport", copied once more by hand, in every phase; and how a code is
// found inside what was thrown.
import { describe, expect, it } from 'vitest';
import type { FailedOutcome, Phase } from '../../src/errors/outcome.js';
import { classify } from '../../src/errors/classify.js';
import { coded, infoOf, line, mcpSubject, of } from './helpers.js';

const PHASES: readonly Phase[] = [
  'queued',
  'connecting',
  'sending',
  'awaiting_headers',
  'reading_body',
];

const failed = (error: unknown, phase: Phase = 'awaiting_headers'): FailedOutcome => ({
  kind: 'transport',
  error,
  phase,
});

// prettier-ignore
const PAGE: readonly (readonly [codes: readonly string[], sent: string, connecting?: string])[] = [
  [['UND_ERR_CONNECT_TIMEOUT'], 'TOOL_CONNECTION_FAILED | yes | not_sent | F'],
  [['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'], 'TOOL_TIMEOUT | yes | unknown | F'],
  [['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'],
    'TOOL_TRANSPORT_ERROR | yes | unknown | F', 'TOOL_CONNECTION_FAILED | yes | not_sent | F'],
  [['ETIMEDOUT'], 'TOOL_TIMEOUT | yes | unknown | F', 'TOOL_CONNECTION_FAILED | yes | not_sent | F'],
  [['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'UND_ERR_PRX_TLS', 'UND_ERR_PRX_ANY'],
    'TOOL_CONNECTION_FAILED | yes | not_sent | F'],
  [['ENOTFOUND'], 'TOOL_CONNECTION_FAILED | no | not_sent | F'],
  [['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_REVOKED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'],
    'CONFIGURATION_ERROR | no | not_sent | N'],
  [['HPE_INVALID_CONSTANT', 'HPE_HEADER_OVERFLOW', 'UND_ERR_HTTP_PARSER', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
    'TOOL_TRANSPORT_ERROR | no | unknown | F'],
  [['UND_ERR_RES_EXCEEDED_MAX_SIZE'], 'TOOL_RESULT_TOO_LARGE | no | completed | S'],
  [['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR__ERROR_FORMAT_PADDING_1', 'ERR_BROTLI_DECODE'], 'TOOL_RESULT_ERROR | no | completed | S'],
  [['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS'], 'RESOURCE_EXHAUSTED | yes | not_sent | N'],
  [['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'], 'RESOURCE_EXHAUSTED | yes | unknown | N', 'RESOURCE_EXHAUSTED | yes | not_sent | N'],
  [['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'UND_ERR_NOT_SUPPORTED', 'TOOLGATE_BLOCKED_ADDRESS'], 'CONFIGURATION_ERROR | no | not_sent | N'],
  [['UND_ERR_ABORTED', 'ABORT_ERR', 'EWHATEVER', ''], 'UNMAPPED_FAILURE | no | unknown | N'],
];

const CASES = PAGE.flatMap(([codes, sent, connecting]) =>
  codes.map((code) => ({ code, sent, connecting: connecting ?? sent })),
);

describe('transport codes', () => {
  it.each(CASES)('$code, sent: $sent', ({ code, sent }) => {
    for (const phase of ['sending', 'awaiting_headers', 'reading_body'] as const) {
      const c = of(failed(coded(code), phase));
      expect(line(c)).toBe(sent);
      expect(c.info.details).toMatchObject({ phase, classified_by: 'transport' });
    }
  });

  it.each(CASES)('$code, connecting: $connecting', ({ code, connecting }) => {
    for (const phase of ['queued', 'connecting'] as const) {
      expect(line(of(failed(coded(code), phase)))).toBe(connecting);
    }
  });

  it.each(CASES.filter((c) => !c.sent.startsWith('UNMAPPED')))(
    '$code is named in details.system_code, and no message of its own gets out',
    ({ code }) => {
      const { details, message } = infoOf(failed(coded(code)));
      expect(details['system_code']).toBe(code);
      expect(message).not.toContain('127.0.0.1');
    },
  );

  it.each(PHASES)('an error without a code, while %s, is unmapped', (phase) => {
    const { info } = of(failed(new Error('boom'), phase));
    expect([info.code, info.reason, info.effect]).toEqual([
      'UNMAPPED_FAILURE',
      'unmapped_failure',
      'unknown',
    ]);
  });
});

describe('retries of a call that is not idempotent', () => {
  const retryable = (code: string, phase: Phase): boolean =>
    of(failed(coded(code), phase), { idempotent: false }).info.retryable;

  it('are safe where it was never sent', () => {
    expect(retryable('ECONNREFUSED', 'connecting')).toBe(true);
    expect(retryable('ECONNRESET', 'connecting')).toBe(true);
    expect(retryable('UND_ERR_CONNECT_TIMEOUT', 'connecting')).toBe(true);
    expect(retryable('UND_ERR_DESTROYED', 'queued')).toBe(true);
  });

  it('are not where it may have been', () => {
    expect(retryable('ECONNRESET', 'awaiting_headers')).toBe(false);
    expect(retryable('UND_ERR_SOCKET', 'sending')).toBe(false);
    expect(retryable('UND_ERR_DESTROYED', 'awaiting_headers')).toBe(false);
    expect(retryable('ENOTFOUND', 'connecting')).toBe(false);
  });
});

describe('finding the code', () => {
  it('in the cause of a fetch error', () => {
    const error = new TypeError('fetch failed', { cause: coded('ECONNREFUSED') });
    expect(infoOf(failed(error, 'connecting')).details['system_code']).toBe('ECONNREFUSED');
  });

  it('in an AggregateError of happy eyeballs', () => {
    const error = new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]);
    expect(infoOf(failed(error, 'connecting')).code).toBe('TOOL_CONNECTION_FAILED');
  });

  it("the system's own code inside undici's wrapper", () => {
    const error = Object.assign(coded('UND_ERR_SOCKET'), { cause: coded('ECONNRESET') });
    expect(infoOf(failed(error)).details['system_code']).toBe('ECONNRESET');
  });

  it("by name where undici's parser gives none", () => {
    const error = Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError' });
    expect(line(of(failed(error)))).toBe('TOOL_TRANSPORT_ERROR | no | unknown | F');
  });

  it('behind cycles and a hundred causes', () => {
    const cyclic = new Error('a');
    cyclic.cause = new Error('b', { cause: cyclic });
    expect(infoOf(failed(cyclic)).code).toBe('UNMAPPED_FAILURE');
    let deep: Error = coded('ECONNRESET');
    for (let i = 0; i < 20; i++) deep = new Error('x', { cause: deep });
    expect(infoOf(failed(deep)).code).toBe('TOOL_TRANSPORT_ERROR');
    for (let i = 0; i < 1000; i++) deep = new Error('x', { cause: deep });
    expect(infoOf(failed(deep)).code).toBe('UNMAPPED_FAILURE');
  });
});

describe('behind an MCP server the codes have twins', () => {
  it.each([
    ['ECONNREFUSED', 'connecting', 'MCP_CONNECTION_FAILED'],
    ['ECONNRESET', 'awaiting_headers', 'MCP_TRANSPORT_ERROR'],
    ['UND_ERR_HEADERS_TIMEOUT', 'awaiting_headers', 'MCP_TIMEOUT'],
    ['CERT_HAS_EXPIRED', 'connecting', 'CONFIGURATION_ERROR'],
  ] as const)('%s while %s is %s', (code, phase, expected) => {
    const { info } = classify(failed(coded(code), phase), mcpSubject(), false);
    expect(info.code).toBe(expected);
    expect(info.details['server_name']).toBe('srv');
  });
});
