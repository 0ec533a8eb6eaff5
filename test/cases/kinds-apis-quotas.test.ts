// Rate limits that real services tell with another status than 429, and quotas that no waiting refills;
// in the words of the services.
import { limited } from './limited.js';
import {
  answer,
  fails,
  GET,
  type Headers,
  nowS,
  ok,
  POST,
  POST3,
  QUICK_RETRY,
  type Row,
  row,
  runRows,
  succeeds,
} from './table.js';

/** Waiting does not help. */
const spent = (name: string, status: number, body: string | object, headers: Headers = {}): Row =>
  row(
    name,
    { ...POST, idempotent: true, retry: QUICK_RETRY },
    answer(status, headers, body),
    fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', {
      details: { upstream_status: status, transient: false },
    }),
  );

runRows({
  'a limit that is told with another status': [
    limited(
      'GitHub, secondary limit with Retry-After',
      403,
      { 'retry-after': '60', 'x-ratelimit-remaining': '4877' },
      {
        message: 'You have exceeded a secondary rate limit.',
        documentation_url: 'https://docs.github.com/rest',
      },
      60_000,
    ),
    limited(
      'GitHub, primary limit',
      403,
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowS() + 30) }),
      {},
      [28_000, 30_000],
    ),
    limited(
      'Google Drive',
      403,
      {},
      {
        error: {
          code: 403,
          errors: [{ domain: 'usageLimits', reason: 'userRateLimitExceeded' }],
          message: 'x',
        },
      },
      null,
    ),
    limited(
      'BigQuery',
      403,
      {},
      { error: { code: 403, errors: [{ reason: 'jobRateLimitExceeded' }] } },
      null,
    ),
    limited(
      'Google Cloud, ErrorInfo',
      403,
      {},
      {
        error: {
          code: 403,
          status: 'PERMISSION_DENIED',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'RATE_LIMIT_EXCEEDED' },
          ],
        },
      },
      null,
    ),
    limited(
      'Google, the second of its reasons',
      403,
      {},
      { error: { code: 403, errors: [{ reason: 'forbidden' }, { reason: 'rateLimitExceeded' }] } },
      null,
    ),
    limited('Meta', 400, {}, { error: { type: 'OAuthException', code: 4, message: 'x' } }, null),
    limited('a code with dashes', 403, {}, { code: 'rate-limit-exceeded' }, null),
    limited('a code in camel case', 400, {}, { error: { code: 'rateLimited' } }, null),
    limited('the reason of a first error', 403, {}, { errors: [{ reason: 'throttled' }] }, null),
    limited(
      'Salesforce',
      403,
      {},
      [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' }],
      null,
    ),
    limited('Twirp', 403, {}, { code: 'resource_exhausted', msg: 'x' }, null),
    limited(
      'DynamoDB',
      400,
      {},
      { __type: 'com.amazonaws.dynamodb.v20120810#RequestLimitExceeded', message: 'x' },
      null,
    ),
    limited(
      'AWS Query protocol',
      400,
      { 'content-type': 'text/xml' },
      '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>',
      null,
    ),
    limited(
      'EC2',
      400,
      { 'content-type': 'text/xml' },
      '<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message></Error></Errors></Response>',
      null,
    ),
    limited(
      'XML with a namespace and line breaks',
      400,
      { 'content-type': 'text/xml' },
      '<e:Error xmlns:e="x"><e:Code>\n  Throttling\n</e:Code><e:Message>x</e:Message></e:Error>',
      null,
    ),
    limited(
      'Alibaba Cloud',
      400,
      {},
      { Code: 'Throttling.User', Message: 'x', RequestId: 'r' },
      null,
    ),
    limited(
      'Linear',
      400,
      { 'x-ratelimit-requests-remaining': '0' },
      { errors: [{ message: 'x', extensions: { code: 'RATELIMITED' } }] },
      null,
    ),
    limited(
      'monday.com',
      400,
      {},
      { errors: [{ extensions: { code: 'COMPLEXITY_BUDGET_EXHAUSTED', retry_in_seconds: 14 } }] },
      14_000,
    ),
  ],

  'nothing left, and waiting does not help': [
    spent(
      'OpenAI',
      429,
      { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
      { 'retry-after': '2' },
    ),
    spent('OpenAI, hard limit', 400, {
      error: { type: 'invalid_request_error', code: 'billing_hard_limit_reached' },
    }),
    spent('Anthropic', 400, { type: 'error', error: { type: 'billing_error', message: 'x' } }),
    spent('Moonshot', 429, { error: { type: 'exceeded_current_quota_error' } }),
    spent('Brave Search', 429, { error: { code: 'QUOTA_LIMITED', status: 429 } }),
    spent('ElevenLabs answers 401', 401, { detail: { status: 'quota_exceeded', message: 'x' } }),
    spent('YouTube', 403, {
      error: { code: 403, errors: [{ domain: 'youtube.quota', reason: 'quotaExceeded' }] },
    }),
    spent('Google, daily limit', 403, {
      error: { code: 403, errors: [{ reason: 'dailyLimitExceeded' }] },
    }),
    spent('Google, daily limit without a key', 403, {
      error: { code: 403, errors: [{ reason: 'dailyLimitExceededUnreg' }] },
    }),
    spent('a code with dashes', 429, { code: 'quota-exceeded' }),
    spent('a code in camel case', 429, { error: { code: 'outOfCredits' } }),
    spent('Google Cloud without billing', 403, {
      error: { status: 'PERMISSION_DENIED', details: [{ reason: 'BILLING_DISABLED' }] },
    }),
    spent('Copilot', 402, { error: { code: 'quota_exceeded', message: 'x' } }),
    spent('DashScope, in arrears', 400, { code: 'Arrearage', message: 'x', request_id: 'r' }),
    spent('AWS service quota', 402, { __type: 'ServiceQuotaExceededException', message: 'x' }),
    spent('Azure subscription', 429, { error: { code: 'InsufficientQuota', message: 'x' } }),
    spent('monday.com, for the day', 429, {
      errors: [{ extensions: { code: 'DAILY_LIMIT_EXCEEDED' } }],
    }),
  ],

  'a success that tells its limit is no limit': [
    row(
      'the last call of the window',
      GET,
      answer(
        200,
        { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '59', 'retry-after': '59' },
        { fine: true },
      ),
      succeeds({ fine: true }, { breaker: 'success' }),
    ),
    row(
      'a 404 of a spent window is a 404',
      GET,
      answer(404, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '59' }),
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
    row(
      '429 and then an answer, money',
      POST3,
      [answer(429, { 'retry-after-ms': '5' }), ok],
      succeeds({ fine: true }, { requests: 2 }),
    ),
    row(
      '418 of a host that bans is no 429',
      POST,
      answer(418, { 'retry-after': '120' }, { code: -1003 }),
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
  ],
});
