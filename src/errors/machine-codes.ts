// Machine codes of known upstreams that say more than their status does. Compared whole with code
// fields of the body, never with prose. Case, dashes and underscores do not count: services spell one
// word `quota_exceeded`, `QUOTA-EXCEEDED` and `quotaExceeded`.

/** The account is out of money or quota: waiting does not help, an operator must act. */
const QUOTA_CODES = codes([
  'insufficient_quota', // OpenAI, Azure
  'billing_hard_limit_reached',
  'billing_not_active',
  'exceeded_current_quota_error', // Moonshot
  'insufficient_user_quota', // one-api
  'insufficient_balance',
  'insufficient_credits',
  'credits_exhausted',
  'credit_balance_too_low',
  'billing_error', // Anthropic
  'billing_limit_exceeded',
  'billing_disabled', // Google ErrorInfo
  'spend_limit_reached',
  'spend_limit_exceeded',
  'spending_limit_reached',
  'monthly_limit_exceeded',
  'monthly_limit_reached',
  'plan_limit_reached',
  'plan_limit_exceeded',
  'out_of_credits',
  'no_credits',
  'insufficient_credit',
  'payment_required',
  'quota_exceeded',
  'monthly_quota_exceeded',
  'quota_exhausted', // Google ErrorInfo
  'daily_limit_exceeded', // Google, older APIs; monday.com
  'daily_limit_exceeded_unreg',
  'over_daily_limit', // Google Maps
  'quota_limited', // Brave Search
  'arrearage', // Alibaba DashScope
  'servicequotaexceededexception', // AWS
]);

/** Too many calls, whatever the status: AWS answers 400, Google's older APIs 403, GraphQL 200. */
const THROTTLE_CODES = codes([
  'throttling', // AWS, as its SDKs list them
  'throttlingexception',
  'throttledexception',
  'requestthrottled',
  'requestthrottledexception',
  'ec2throttledexception',
  'toomanyrequestsexception',
  'provisionedthroughputexceededexception',
  'request_limit_exceeded', // EC2, Salesforce
  'bandwidthlimitexceeded',
  'limitexceededexception',
  'priorrequestnotcomplete',
  'transactioninprogressexception',
  'slowdown',
  'rate_limit_exceeded', // Google, older APIs; OpenAI
  'userratelimitexceeded',
  'rate_limit_error', // Anthropic
  'rate_limited', // Notion, Slack, Linear
  'throttled', // Shopify
  'too_many_requests',
  'resource_exhausted', // gRPC, where a gateway or Twirp does not say 429
  'jobratelimitexceeded', // BigQuery
  'sharingratelimitexceeded', // Drive
  'rate_limit', // Stripe, HubSpot
  'rate_limit_reached', // Airtable
  'complexity_budget_exhausted', // monday.com
  'over_query_limit', // Google Maps
  'oauthexception.4', // Meta: of the app, of the user, of the page, of the custom limits
  'oauthexception.17',
  'oauthexception.32',
  'oauthexception.613',
]);

/** A request with our idempotency key still runs. */
const KEY_IN_FLIGHT_CODES = codes([
  'idempotency_key_in_use', // Stripe
  'idempotency_in_progress',
  'idempotent_request_in_progress',
  'idempotency_key_in_progress',
  'concurrent_idempotent_request',
  'request_in_progress',
]);

/** The credential lacks a scope. */
const SCOPE_CODES = codes([
  'insufficient_scope', // RFC 6750 §3.1
  'access_token_scope_insufficient', // Google ErrorInfo
]);

/** The credential is not accepted, told with another status than 401: AWS and Gemini answer 400. */
const CREDENTIAL_CODES = codes([
  'unrecognizedclientexception', // AWS
  'invalidsignatureexception',
  'expiredtokenexception',
  'invalidclienttokenid',
  'incompletesignature',
  'missingauthenticationtoken',
  'missingauthenticationtokenexception',
  'authfailure',
  'expiredtoken', // S3
  'invalidaccesskeyid',
  'signaturedoesnotmatch',
  'requesttimetooskewed',
  'api_key_invalid', // Google ErrorInfo
  'invalid_api_key',
  'authentication_error', // Anthropic
  'invalid_client', // RFC 6749 §5.2
  'invalid_session_id', // Salesforce
  'invalid_auth', // Slack
  'not_authed',
  'token_revoked',
  'token_expired',
  'account_inactive',
  'missing_scope',
  'unauthenticated', // GraphQL servers, gRPC
  'oauthexception.190', // Meta
  'request_denied', // Google Maps
]);

/** The credential is known, and may not do this. */
const FORBIDDEN_CODES = codes([
  'accessdeniedexception', // AWS answers 400 in its JSON protocols
  'access_denied',
  'permission_denied',
  'forbidden', // GraphQL servers
]);

/** The upstream waited too long, told with another status than 408: S3 answers 400. */
const TIMEOUT_CODES = codes(['requesttimeout', 'requesttimeoutexception']);

/** The request is wrong, where the status is 2xx. */
const INVALID_CODES = codes([
  'bad_user_input', // GraphQL servers
  'graphql_validation_failed',
  'graphql_parse_failed',
  'invalid_arguments', // Slack
  'invalid_argument', // gRPC
  'invalid_request', // Google Maps
]);

const MEANINGS = {
  quota: QUOTA_CODES,
  throttle: THROTTLE_CODES,
  key_in_flight: KEY_IN_FLIGHT_CODES,
  scope: SCOPE_CODES,
  credential: CREDENTIAL_CODES,
  forbidden: FORBIDDEN_CODES,
  timeout: TIMEOUT_CODES,
  invalid: INVALID_CODES,
} as const satisfies Record<string, ReadonlySet<string>>;

export type MachineMeaning = keyof typeof MEANINGS;

/** Whether one of a body's codes (lower case) has this meaning. */
export function means(meaning: MachineMeaning, codes: readonly string[]): boolean {
  const known: ReadonlySet<string> = MEANINGS[meaning];
  return codes.some(
    (code) => known.has(bare(code)) || (meaning === 'throttle' && code.startsWith('throttling.')),
  );
}

function codes(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(bare));
}

function bare(code: string): string {
  return code.replace(/[-_]/g, '');
}
