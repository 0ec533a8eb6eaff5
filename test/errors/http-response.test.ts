// Rows that need more than the status, with what real upstreams send.
import { describe, expect, it } from 'vitest';
import type { HeaderBag } from '../../src/errors/outcome.js';
import { infoOf, line, of, response } from './helpers.js';

interface Case {
  readonly name: string;
  readonly status: number;
  readonly headers?: HeaderBag;
  readonly body?: unknown;
  readonly row: string;
  readonly upstreamCode?: unknown;
  readonly waitMs?: number | null;
}

const RATE = 'TOOL_RATE_LIMITED | yes | completed | N';
const QUOTA = 'UPSTREAM_QUOTA_EXHAUSTED | no | completed | N';
const INVALID = 'UPSTREAM_INVALID_REQUEST | no | completed | S';
const FORBIDDEN = 'UPSTREAM_FORBIDDEN | no | completed | N';
const REJECTED = 'UPSTREAM_REJECTED | no | completed | S';

const CASES: readonly Case[] = [
  // AWS
  {
    name: 'DynamoDB throttles with 400 and __type',
    status: 400,
    body: {
      __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      message: 'The level of configured provisioned throughput was exceeded.',
    },
    row: RATE,
    upstreamCode: 'ProvisionedThroughputExceededException',
  },
  {
    name: 'API Gateway throttles with 400 and x-amzn-errortype',
    status: 400,
    headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/coral/' },
    body: { message: 'Rate exceeded' },
    row: RATE,
    upstreamCode: 'ThrottlingException',
  },
  {
    name: 'AWS in the header alone, no body',
    status: 400,
    headers: { 'x-amzn-errortype': 'TooManyRequestsException' },
    row: RATE,
    upstreamCode: 'TooManyRequestsException',
  },
  {
    name: 'EC2 throttles with XML',
    status: 400,
    headers: { 'content-type': 'text/xml' },
    body: '<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message></Error></Errors></Response>',
    row: RATE,
    upstreamCode: 'RequestLimitExceeded',
  },
  {
    name: 'an AWS validation fault stays one',
    status: 400,
    body: { __type: 'com.amazon.coral.validate#ValidationException', message: 'bad key' },
    row: INVALID,
    upstreamCode: 'ValidationException',
  },
  {
    name: 'S3 SlowDown is a 503',
    status: 503,
    body: '<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>',
    row: 'UPSTREAM_UNAVAILABLE | yes | unknown | F',
    upstreamCode: 'SlowDown',
  },
  // OpenAI and look-alikes
  {
    name: 'OpenAI out of money',
    status: 429,
    body: {
      error: { message: 'm', type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
    },
    row: QUOTA,
    upstreamCode: 'insufficient_quota',
    waitMs: null,
  },
  {
    name: 'OpenAI out of money, with a Retry-After that means nothing',
    status: 429,
    headers: { 'retry-after': '1' },
    body: { error: { type: 'insufficient_quota', code: null } },
    row: QUOTA,
    waitMs: null,
  },
  {
    name: 'OpenAI rate limit',
    status: 429,
    headers: {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '8.64s',
      'x-ratelimit-remaining-tokens': '100',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    body: { error: { message: 'm', type: 'requests', code: 'rate_limit_exceeded' } },
    row: RATE,
    upstreamCode: 'rate_limit_exceeded',
    waitMs: 8640,
  },
  {
    name: 'OpenAI usage limit with its reset',
    status: 429,
    body: { error: { type: 'usage_limit_reached', resets_in_seconds: 7139 } },
    row: RATE,
    upstreamCode: 'usage_limit_reached',
    waitMs: 7_139_000,
  },
  {
    name: 'a billing limit with 400',
    status: 400,
    body: {
      error: { code: 'billing_hard_limit_reached', message: 'm', type: 'invalid_request_error' },
    },
    row: QUOTA,
    upstreamCode: 'billing_hard_limit_reached',
  },
  {
    name: 'OpenAI bad request',
    status: 400,
    body: { error: { message: 'm', type: 'invalid_request_error', param: 'x', code: null } },
    row: INVALID,
    upstreamCode: 'invalid_request_error',
  },
  // Anthropic
  {
    name: 'Anthropic rate limit, RFC 3339 in the past',
    status: 429,
    headers: {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2024-01-01T00:00:00Z',
    },
    body: { type: 'error', error: { type: 'rate_limit_error', message: 'm' } },
    row: RATE,
    upstreamCode: 'rate_limit_error',
    waitMs: 0,
  },
  {
    name: 'Anthropic overloaded',
    status: 529,
    body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    row: 'UPSTREAM_UNAVAILABLE | yes | unknown | F',
    upstreamCode: 'overloaded_error',
  },
  {
    name: 'Anthropic billing with 402',
    status: 402,
    body: { type: 'error', error: { type: 'billing_error', message: 'm' } },
    row: 'UPSTREAM_QUOTA_EXHAUSTED | no | completed | S',
  },
  // Stripe
  {
    name: 'Stripe: a declined card is a definite answer',
    status: 402,
    body: {
      error: { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
    },
    row: REJECTED,
    upstreamCode: 'card_declined',
  },
  {
    name: 'Stripe rate limit',
    status: 429,
    body: { error: { type: 'invalid_request_error', code: 'rate_limit' } },
    row: RATE,
  },
  // Google
  {
    name: 'Google AIP-193 with RetryInfo',
    status: 429,
    body: {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'Quota exceeded for quota metric',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{}] },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' },
        ],
      },
    },
    row: RATE,
    upstreamCode: 'RESOURCE_EXHAUSTED',
    waitMs: 34_075,
  },
  {
    name: 'Gemini streams its error in an array',
    status: 503,
    body: [{ error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } }],
    row: 'UPSTREAM_UNAVAILABLE | yes | unknown | F',
    upstreamCode: 'UNAVAILABLE',
  },
  {
    name: "Google's older APIs limit with 403",
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'm',
        errors: [{ domain: 'usageLimits', reason: 'userRateLimitExceeded' }],
      },
    },
    row: RATE,
  },
  {
    name: "Google's older APIs: the day's quota",
    status: 403,
    body: {
      error: { code: 403, errors: [{ domain: 'usageLimits', reason: 'dailyLimitExceeded' }] },
    },
    row: QUOTA,
  },
  {
    name: 'Google permission denied',
    status: 403,
    body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'm' } },
    row: FORBIDDEN,
    upstreamCode: 'PERMISSION_DENIED',
  },
  // GitHub
  {
    name: 'GitHub primary limit with 403',
    status: 403,
    headers: {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '60',
      'x-ratelimit-limit': '5000',
    },
    body: { message: 'API rate limit exceeded for user ID 1.' },
    row: RATE,
    waitMs: 60_000,
  },
  {
    name: 'GitHub secondary limit with 403 and Retry-After',
    status: 403,
    headers: { 'retry-after': '60', 'x-ratelimit-remaining': '4999' },
    body: { message: 'You have exceeded a secondary rate limit.' },
    row: RATE,
    waitMs: 60_000,
  },
  {
    name: 'GitHub forbidden with calls left',
    status: 403,
    headers: { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '60' },
    body: { message: 'Resource not accessible by integration' },
    row: FORBIDDEN,
    waitMs: null,
  },
  {
    name: 'a body that speaks of a rate limit in prose is no evidence',
    status: 403,
    body: { message: 'rate limit exceeded, too many requests (429)' },
    row: FORBIDDEN,
  },
  {
    name: 'RateLimit with nothing left, on 403',
    status: 403,
    headers: { ratelimit: '"default";r=0;t=7' },
    row: RATE,
    waitMs: 7000,
  },
  // Azure
  {
    name: 'Azure OpenAI',
    status: 429,
    headers: { 'retry-after': '6', 'retry-after-ms': '5804' },
    body: { error: { code: '429', message: 'Requests have exceeded the token rate limit.' } },
    row: RATE,
    waitMs: 5804,
  },
  {
    name: 'Azure Cosmos DB',
    status: 429,
    headers: { 'x-ms-retry-after-ms': '46' },
    body: { code: 'TooManyRequests', message: 'm' },
    row: RATE,
    upstreamCode: 'TooManyRequests',
    waitMs: 46,
  },
  // Cloudflare
  {
    name: 'Cloudflare 521',
    status: 521,
    headers: { server: 'cloudflare' },
    row: 'UPSTREAM_UNAVAILABLE | yes | not_sent | F',
  },
  {
    name: 'Cloudflare 523',
    status: 523,
    headers: { server: 'Cloudflare' },
    row: 'UPSTREAM_UNAVAILABLE | yes | not_sent | F',
  },
  {
    name: 'Cloudflare 525',
    status: 525,
    headers: { server: 'cloudflare' },
    row: 'UPSTREAM_UNAVAILABLE | yes | not_sent | F',
  },
  {
    name: '521 of somebody else',
    status: 521,
    headers: { server: 'nginx' },
    row: 'UPSTREAM_UNAVAILABLE | yes | unknown | F',
  },
  {
    name: 'Cloudflare 522 may have been sent',
    status: 522,
    headers: { server: 'cloudflare' },
    row: 'UPSTREAM_UNAVAILABLE | yes | unknown | F',
  },
  {
    name: 'the Cloudflare API',
    status: 403,
    body: { success: false, errors: [{ code: 10000, message: 'Authentication error' }] },
    row: FORBIDDEN,
    upstreamCode: 10000,
  },
  // Shopify, Slack, Discord, Telegram, Notion, Twilio, Salesforce, Spring
  {
    name: 'Shopify REST',
    status: 429,
    headers: { 'retry-after': '2.0' },
    body: { errors: 'Exceeded 2 calls per second' },
    row: RATE,
    waitMs: 2000,
  },
  {
    name: 'Shopify GraphQL answers 200',
    status: 200,
    body: { errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }] },
    row: RATE,
    upstreamCode: 'THROTTLED',
  },
  {
    name: 'Shopify GraphQL answers 200, and that one of two mutations ran',
    status: 200,
    body: {
      data: { first: { id: 1 }, second: null },
      errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
    },
    row: 'TOOL_RATE_LIMITED | yes | unknown | N',
    upstreamCode: 'THROTTLED',
  },
  {
    name: 'Shopify GraphQL answers 200, and that no mutation ran',
    status: 200,
    body: {
      data: { first: null, second: null },
      errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
    },
    row: RATE,
    upstreamCode: 'THROTTLED',
  },
  {
    name: 'Slack answers 200',
    status: 200,
    headers: { 'retry-after': '30' },
    body: { ok: false, error: 'ratelimited' },
    row: RATE,
    upstreamCode: 'ratelimited',
    waitMs: 30_000,
  },
  {
    name: 'Slack says no',
    status: 200,
    body: { ok: false, error: 'channel_not_found' },
    row: 'TOOL_EXECUTION_FAILED | no | completed | S',
    upstreamCode: 'channel_not_found',
  },
  {
    name: 'Discord',
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: 64.57, global: false },
    row: RATE,
    waitMs: 64_570,
  },
  {
    name: 'Discord by header',
    status: 429,
    headers: {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset-after': '1.5',
      'x-ratelimit-reset': '1',
    },
    row: RATE,
    waitMs: 1500,
  },
  {
    name: 'Telegram',
    status: 429,
    body: {
      ok: false,
      error_code: 429,
      description: 'Too Many Requests',
      parameters: { retry_after: 5 },
    },
    row: RATE,
    waitMs: 5000,
  },
  {
    name: 'Notion',
    status: 429,
    headers: { 'retry-after': '3' },
    body: { object: 'error', status: 429, code: 'rate_limited', message: 'm' },
    row: RATE,
    upstreamCode: 'rate_limited',
    waitMs: 3000,
  },
  {
    name: 'Twilio',
    status: 400,
    body: { code: 21211, message: "The 'To' number is not valid.", status: 400 },
    row: INVALID,
    upstreamCode: 21211,
  },
  {
    name: 'Salesforce answers an array',
    status: 400,
    body: [{ message: 'm', errorCode: 'INVALID_FIELD' }],
    row: INVALID,
    upstreamCode: 'INVALID_FIELD',
  },
  {
    name: 'Spring',
    status: 404,
    body: { timestamp: 'x', status: 404, error: 'Not Found', path: '/x' },
    row: REJECTED,
  },
  {
    name: 'OAuth 2',
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Token expired' },
    row: INVALID,
    upstreamCode: 'invalid_grant',
  },
  {
    name: 'GitHub GraphQL answers 200',
    status: 200,
    body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
    row: RATE,
    upstreamCode: 'RATE_LIMITED',
  },
  {
    name: 'a FastAPI service with codes of its own',
    status: 429,
    body: { detail: { status: 'quota_exceeded', message: 'This request exceeds your quota.' } },
    row: QUOTA,
    upstreamCode: 'quota_exceeded',
  },
  // problem+json
  {
    name: 'RFC 9457',
    status: 403,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      type: 'https://example.com/probs/out-of-credit',
      title: 'No credit',
      detail: 'Your balance is 30.',
    },
    row: FORBIDDEN,
    upstreamCode: 'https://example.com/probs/out-of-credit',
  },
];

describe('responses of real upstreams', () => {
  it.each(CASES)('$name', ({ status, headers, body, row, upstreamCode, waitMs }) => {
    const classification = of(response(status, headers, body ?? ''));
    expect(line(classification)).toBe(row);
    if (upstreamCode !== undefined) {
      expect(classification.info.details['upstream_code']).toBe(upstreamCode);
    }
    if (waitMs !== undefined) expect(classification.info.retry_after_ms).toBe(waitMs);
  });
});

describe('409 while our own idempotency key is in flight', () => {
  const conflict = response(409, {}, { error: { code: 'idempotency_key_in_use', message: 'm' } });

  it('is worth a retry with the same key', () => {
    const { info, breaker } = of(conflict, { idempotent: false }, true);
    expect([info.code, info.retryable, info.effect, breaker]).toEqual([
      'UPSTREAM_REJECTED',
      true,
      'completed',
      'success',
    ]);
  });

  it('takes a Retry-After for the same sign', () => {
    expect(
      of(response(409, { 'retry-after': '2' }), { idempotent: false }, true).info,
    ).toMatchObject({
      retryable: true,
      retry_after_ms: 2000,
    });
  });

  it('is an ordinary conflict without a key, or without a sign of one', () => {
    expect(of(conflict).info.retryable).toBe(false);
    expect(of(response(409), {}, true).info.retryable).toBe(false);
  });
});

describe('trust_503', () => {
  const busy = response(503, { 'retry-after': '2' });

  it('makes a 503 with Retry-After a refusal before execution', () => {
    const c = of(busy, { idempotent: false, trust503: true });
    expect(c.refusedBeforeExecution).toBe(true);
    expect(c.info).toMatchObject({ retryable: true, effect: 'completed', retry_after_ms: 2000 });
    expect(c.breaker).toBe('failure');
  });

  it('changes nothing without Retry-After, or where it is off', () => {
    expect(of(response(503), { idempotent: false, trust503: true }).info.retryable).toBe(false);
    expect(of(busy, { idempotent: false }).info.retryable).toBe(false);
  });
});

describe('an explicit no', () => {
  it.each([{ 'x-should-retry': 'false' }, { 'grpc-retry-pushback-ms': '-1' }])(
    'stops the gateway, not the caller: %o',
    (headers) => {
      const c = of(response(429, headers));
      expect(c.upstreamSaidNo).toBe(true);
      expect(c.info.retryable).toBe(true);
    },
  );

  it('x-should-retry: true never overrides safety', () => {
    const c = of(response(500, { 'x-should-retry': 'true' }), { idempotent: false });
    expect([c.upstreamSaidNo, c.info.retryable]).toEqual([false, false]);
  });
});

describe('messages and details', () => {
  it.each([
    ['plain text', 'no more seats', 'no more seats'],
    ['JSON text', { error: { message: 'no more seats' } }, 'no more seats'],
    [
      'FastAPI',
      { detail: [{ loc: ['q'], msg: 'field required', type: 'missing' }] },
      ': q: field required',
    ],
    ['JSON string', '"no more seats"', 'no more seats'],
    [
      'Rails',
      { errors: { city: ['is unknown', 'is too long'] } },
      ': city: is unknown, is too long',
    ],
    [
      'ASP.NET',
      { title: 'One or more errors.', errors: { '$.city': ['is unknown'] } },
      ': One or more errors. ($.city: is unknown)',
    ],
    [
      'Jira',
      { errorMessages: ['no more seats'], errors: { priority: 'is gone' } },
      ': no more seats (priority: is gone)',
    ],
    ['Elasticsearch', { error: { type: 'x_exception', reason: 'no more seats' } }, 'no more seats'],
    ['Okta', { errorCode: 'E0000001', errorSummary: 'no more seats' }, 'no more seats'],
    ['Apigee', { fault: { faultstring: 'no more seats', detail: {} } }, 'no more seats'],
  ])('carries the upstream words: %s', (_name, body, words) => {
    expect(infoOf(response(422, {}, body)).message).toContain(words);
  });

  it.each(['', '{}', '[]', '<html><body>Internal secret page</body></html>', '{"a":', 'null'])(
    'is never empty and invents nothing: %j',
    (body) => {
      expect(infoOf(response(500, { 'content-type': 'text/html' }, body)).message).toBe(
        'The upstream failed internally (HTTP 500 Internal Server Error).',
      );
    },
  );

  it('is capped at 500 characters', () => {
    const { message } = infoOf(response(500, {}, 'x'.repeat(60_000)));
    expect(message.length).toBeLessThanOrEqual(500);
    expect(message.endsWith('…')).toBe(true);
  });

  it('names the limit where it is known', () => {
    const { details } = infoOf(response(429, { 'x-ratelimit-limit': '100', 'retry-after': '45' }));
    expect(details).toMatchObject({
      limit: 100,
      retry_after: 45,
      retry_after_source: 'retry-after',
    });
  });
});
