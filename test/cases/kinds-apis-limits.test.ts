// Rate limits in the words of real services, told with 429: which of several waits counts. Whatever the
// tool does, it was refused before it ran.
import { limited } from './limited.js';
import { imf, nowS, runRows } from './table.js';

const google = (status: string, more: object): object => ({
  error: { code: 429, status, message: 'x', ...more },
});

runRows({
  'a limit that passes': [
    limited(
      'OpenAI, tokens',
      429,
      {
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '6m0s',
        'x-ratelimit-remaining-requests': '59',
        'x-ratelimit-reset-requests': '1s',
      },
      { error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'Rate limit reached' } },
      360_000,
    ),
    limited(
      'OpenAI, retry-after-ms beside Retry-After',
      429,
      { 'retry-after': '1', 'retry-after-ms': '640' },
      {},
      640,
    ),
    limited(
      'Anthropic',
      429,
      () => ({
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': new Date(Date.now() + 20_000).toISOString(),
      }),
      { type: 'error', error: { type: 'rate_limit_error', message: 'x' } },
      [18_000, 20_001],
    ),
    limited(
      'Gemini, per minute',
      429,
      {},
      google('RESOURCE_EXHAUSTED', {
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier' }],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '19.5s' },
        ],
      }),
      19_500,
    ),
    limited(
      'Azure OpenAI',
      429,
      { 'retry-after': '24', 'retry-after-ms': '24000', 'x-ratelimit-remaining-requests': '0' },
      { error: { code: '429', message: 'exceeded token rate limit' } },
      24_000,
    ),
    limited(
      'Azure Resource Manager',
      429,
      { 'retry-after': '17', 'x-ms-ratelimit-remaining-subscription-reads': '0' },
      { error: { code: 'OperationNotAllowed', message: 'x' } },
      17_000,
    ),
    limited(
      'Stripe',
      429,
      { 'stripe-rate-limited-reason': 'global-concurrency' },
      {
        error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' },
      },
      null,
    ),
    limited(
      'Stripe, lock timeout',
      429,
      {},
      { error: { type: 'invalid_request_error', code: 'lock_timeout', message: 'x' } },
      null,
    ),
    limited(
      'Shopify REST',
      429,
      { 'retry-after': '2.0', 'x-shopify-shop-api-call-limit': '40/40' },
      { errors: 'Exceeded 2 calls per second' },
      2000,
    ),
    limited(
      'Jira, ISO date without seconds',
      429,
      () => ({
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': new Date(Date.now() + 90_000)
          .toISOString()
          .replace(/:\d\d\.\d+Z/, 'Z'),
      }),
      {},
      [29_000, 90_001],
    ),
    limited(
      'Notion',
      429,
      { 'retry-after': '11' },
      { object: 'error', status: 429, code: 'rate_limited', message: 'x' },
      11_000,
    ),
    limited(
      'Brave Search: one a second, many a month',
      429,
      {
        'x-ratelimit-limit': '1, 15000',
        'x-ratelimit-remaining': '0, 14500',
        'x-ratelimit-reset': '1, 1419704',
      },
      { error: { code: 'RATE_LIMITED', status: 429 } },
      1000,
    ),
    limited(
      'of a list of limits the one that is spent',
      429,
      { 'x-ratelimit-remaining': '3, 0', 'x-ratelimit-reset': '1, 86' },
      {},
      86_000,
    ),
    limited(
      'Docker Hub, with its window',
      429,
      {
        'ratelimit-limit': '100;w=21600',
        'ratelimit-remaining': '0;w=21600',
        'ratelimit-reset': '55',
      },
      {},
      55_000,
    ),
    limited(
      'Kong',
      429,
      { 'x-ratelimit-remaining-minute': '0', 'ratelimit-remaining': '0', 'ratelimit-reset': '31' },
      { message: 'API rate limit exceeded' },
      31_000,
    ),
    limited(
      'Discord, a fraction of a second',
      429,
      { 'x-ratelimit-reset-after': '0.470', 'x-ratelimit-remaining': '0' },
      { message: 'x', retry_after: 0.47, global: false },
      470,
    ),
    limited(
      'Telegram',
      429,
      {},
      {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 35',
        parameters: { retry_after: 35 },
      },
      35_000,
    ),
    limited(
      'Reddit',
      429,
      { 'x-ratelimit-remaining': '0.0', 'x-ratelimit-reset': '223' },
      {},
      223_000,
    ),
    limited(
      'X, epoch',
      429,
      () => ({ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(nowS() + 60) }),
      {},
      [58_000, 60_000],
    ),
    limited(
      'Cloudflare 1015 page',
      429,
      { server: 'cloudflare', 'content-type': 'text/html', 'retry-after': '28' },
      '<html>You are being rate limited. error code: 1015</html>',
      28_000,
    ),
    limited(
      'HubSpot',
      429,
      { 'x-hubspot-ratelimit-remaining': '100' },
      {
        status: 'error',
        errorType: 'RATE_LIMIT',
        policyName: 'TEN_SECONDLY_ROLLING',
        message: 'x',
      },
      null,
    ),
    limited('a date that is long past', 429, { 'retry-after': imf(0) }, {}, 0),
    limited(
      'a date next year',
      429,
      () => ({ 'retry-after': imf(Date.now() + 3e10) }),
      {},
      86_400_000,
    ),
    limited(
      'names that say their unit: seconds',
      429,
      {},
      { error: { retry_after_seconds: 30 } },
      30_000,
    ),
    limited('names that say their unit: milliseconds', 429, {}, { retryAfterMs: '1500' }, 1500),
    limited('a name that does not', 429, {}, { retryAfter: 30 }, null),
  ],
});
