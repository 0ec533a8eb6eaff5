// Failures in the words of real services that are definite: credentials, permissions, requests that are
// wrong, conflicts. Nothing is left running, and repeating changes nothing, whatever the tool does.
import { answer, fails, type Headers, POST, POST3, type Row, row, runRows } from './table.js';

const XML = { 'content-type': 'text/xml' };

/** A definite answer: nothing is left running, and repeating changes nothing. */
const definite =
  (code: string) =>
  (name: string, status: number, body: string | object, headers: Headers = {}): Row =>
    row(
      name,
      POST3,
      answer(status, headers, body),
      fails(code, false, 'completed', {
        details: { upstream_status: status, transient: false },
      }),
    );

const credential = definite('UPSTREAM_AUTH_FAILED');
const forbidden = definite('UPSTREAM_FORBIDDEN');
const invalid = definite('UPSTREAM_INVALID_REQUEST');
const rejected = definite('UPSTREAM_REJECTED');

const aws = (name: string): Headers => ({ 'x-amzn-errortype': name });

runRows({
  "the gateway's credential": [
    credential('Stripe', 401, {
      error: { type: 'invalid_request_error', message: 'Invalid API Key provided' },
    }),
    credential('Anthropic', 401, {
      type: 'error',
      error: { type: 'authentication_error', message: 'x' },
    }),
    credential('GitHub', 401, {
      message: 'Bad credentials',
      documentation_url: 'https://docs.github.com/rest',
    }),
    credential('Salesforce', 401, [
      { message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' },
    ]),
    credential('Twilio', 401, { code: 20003, message: 'Authenticate', status: 401 }),
    credential('Google', 401, { error: { code: 401, status: 'UNAUTHENTICATED', message: 'x' } }),
    credential('a proxy', 407, '', { 'proxy-authenticate': 'Basic realm="corp"' }),
    credential('AWS answers 400: expired', 400, {
      __type: 'com.amazon.coral.service#ExpiredTokenException',
      message: 'x',
    }),
    credential('AWS answers 400: unknown key', 400, {
      __type: 'UnrecognizedClientException',
      message: 'x',
    }),
    credential(
      'AWS answers 400: signature',
      400,
      { message: 'x' },
      aws('InvalidSignatureException:http://internal.amazon.com/coral/'),
    ),
    credential(
      'AWS answers 403: signature',
      403,
      { message: 'x' },
      aws('InvalidSignatureException'),
    ),
    credential('AWS answers 403: expired', 403, { message: 'x' }, aws('ExpiredTokenException')),
    credential(
      'S3 answers 403: unknown key',
      403,
      '<Error><Code>InvalidAccessKeyId</Code><Message>x</Message></Error>',
      XML,
    ),
    credential(
      'S3 answers 400: expired',
      400,
      '<Error><Code>ExpiredToken</Code><Message>x</Message></Error>',
      XML,
    ),
    credential('Gemini answers 400', 400, {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: 'API key not valid.',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
        ],
      },
    }),
    credential('Google answers 403: scope', 403, {
      error: {
        code: 403,
        status: 'PERMISSION_DENIED',
        details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }],
      },
    }),
    credential('a bearer challenge answers 403: scope', 403, '', {
      'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"',
    }),
    credential('OAuth client', 400, { error: 'invalid_client' }),
    credential('Meta', 400, { error: { type: 'OAuthException', code: 190, message: 'x' } }),
    credential('a code in camel case', 400, { error: { code: 'invalidApiKey' } }),
  ],

  'what may not be done': [
    forbidden('Anthropic', 403, {
      type: 'error',
      error: { type: 'permission_error', message: 'x' },
    }),
    forbidden('DynamoDB answers 400', 400, {
      __type: 'com.amazon.coral.service#AccessDeniedException',
      message: 'x',
    }),
    forbidden(
      'S3',
      403,
      '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
      XML,
    ),
    forbidden('Cloudflare challenge', 403, '<html>Just a moment...</html>', {
      server: 'cloudflare',
      'cf-mitigated': 'challenge',
      'content-type': 'text/html',
    }),
    forbidden('Cloudflare 1020', 403, 'error code: 1020', { server: 'cloudflare' }),
    forbidden('Google, API not enabled', 403, {
      error: { code: 403, status: 'PERMISSION_DENIED', details: [{ reason: 'SERVICE_DISABLED' }] },
    }),
    forbidden(
      'GitHub',
      403,
      { message: 'Resource not accessible by integration' },
      { 'x-ratelimit-remaining': '4999' },
    ),
    forbidden('a header that says nothing', 403, '', { 'retry-after': '' }),
    forbidden('Jira', 403, { errorMessages: ['You do not have permission'], errors: {} }),
  ],

  'what is wrong with the request': [
    invalid('OAuth: the grant, which may be an argument', 400, {
      error: 'invalid_grant',
      error_description: 'Token has been revoked',
    }),
    invalid('OpenAI, too long', 400, {
      error: { code: 'context_length_exceeded', type: 'invalid_request_error' },
    }),
    invalid('Anthropic, too large', 413, {
      type: 'error',
      error: { type: 'request_too_large', message: 'x' },
    }),
    invalid('Stripe, key with other arguments', 400, {
      error: {
        type: 'idempotency_error',
        message: 'Keys for idempotent requests can only be used with the same parameters',
      },
    }),
    invalid('Stripe, amount', 400, {
      error: { type: 'invalid_request_error', code: 'amount_too_small', param: 'amount' },
    }),
    invalid('Twilio, number', 400, {
      code: 21211,
      message: "The 'To' number is not valid",
      status: 400,
    }),
    invalid('FastAPI', 422, {
      detail: [{ loc: ['body', 'q'], msg: 'field required', type: 'value_error.missing' }],
    }),
    invalid('AWS', 400, { __type: 'ValidationException', message: 'timeout must be at most 503' }),
    invalid('Notion', 400, {
      object: 'error',
      status: 400,
      code: 'validation_error',
      message: 'x',
    }),
    invalid('Elasticsearch', 400, {
      error: { type: 'parsing_exception', reason: 'x' },
      status: 400,
    }),
    invalid('headers too large', 431, ''),
  ],

  'a definite no': [
    rejected('Stripe, declined', 402, {
      error: { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds' },
    }),
    rejected('Notion, conflict', 409, {
      object: 'error',
      status: 409,
      code: 'conflict_error',
      message: 'x',
    }),
    rejected('GitHub, merge conflict', 409, { message: 'Head branch was modified' }),
    rejected(
      'S3, conditional',
      412,
      '<Error><Code>PreconditionFailed</Code><Message>x</Message></Error>',
      XML,
    ),
    rejected('WebDAV, locked', 423, ''),
    rejected('WebDAV, failed dependency', 424, ''),
    rejected('for legal reasons', 451, ''),
    rejected('gone', 410, { message: 'deleted' }),
    rejected('AWS, not there', 404, { message: 'x' }, aws('ResourceNotFoundException')),
    rejected('a login page elsewhere', 302, '', { location: 'https://sso.example.com/login' }),
    rejected('a temporary redirect', 307, '', { location: '/v2/pay' }),
    rejected('a permanent one', 308, '', { location: 'https://api.example.com/v2' }),
    rejected('see other', 303, '', { location: '/status/1' }),
    row(
      'Stripe, the key still runs',
      { ...POST, idempotency: { header: 'Idempotency-Key' } },
      answer(409, {}, { error: { type: 'invalid_request_error', code: 'idempotency_key_in_use' } }),
      fails('UPSTREAM_REJECTED', true, 'completed', { details: { transient: true } }),
      { call: { idempotency_key: 'k1' } },
    ),
  ],
});
