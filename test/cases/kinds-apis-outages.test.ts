// Trouble of real services that passes, and what proxies before them answer: to be repeated where the
// call may be, and only there.
import {
  answer,
  fails,
  GET,
  GET3,
  type Headers,
  ok,
  POST3,
  type Row,
  row,
  runRows,
  succeeds,
} from './table.js';

const XML = { 'content-type': 'text/xml' };

/** Trouble that passes: to be repeated where the call may be, and only there. */
const passing = (
  name: string,
  status: number,
  code: string,
  body: string | object,
  headers: Headers = {},
): Row[] => [
  row(
    `${name}, reads`,
    GET3,
    [answer(status, headers, body), ok],
    succeeds({ fine: true }, { requests: 2 }),
  ),
  row(
    `${name}, moves money`,
    POST3,
    answer(status, headers, body),
    fails(code, false, 'unknown', {
      details: { transient: true, retry_stopped_by: 'unsafe_to_repeat', upstream_status: status },
    }),
  ),
];

runRows({
  'trouble that passes': [
    ...passing('Anthropic, overloaded', 529, 'UPSTREAM_UNAVAILABLE', {
      type: 'error',
      error: { type: 'overloaded_error' },
    }),
    ...passing('OpenAI, slow down', 503, 'UPSTREAM_UNAVAILABLE', {
      error: { type: 'slow_down', message: 'x' },
    }),
    ...passing('Stripe', 500, 'UPSTREAM_SERVER_ERROR', {
      error: { type: 'api_error', message: 'x' },
    }),
    ...passing('Google', 503, 'UPSTREAM_UNAVAILABLE', {
      error: { code: 503, status: 'UNAVAILABLE' },
    }),
    ...passing('Google, deadline', 504, 'TOOL_TIMEOUT', {
      error: { code: 504, status: 'DEADLINE_EXCEEDED' },
    }),
    ...passing('Salesforce', 503, 'UPSTREAM_UNAVAILABLE', [
      { errorCode: 'SERVER_UNAVAILABLE', message: 'x' },
    ]),
    ...passing(
      'S3, slow down',
      503,
      'UPSTREAM_UNAVAILABLE',
      '<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>',
      XML,
    ),
    ...passing(
      'Azure Storage',
      500,
      'UPSTREAM_SERVER_ERROR',
      '<Error><Code>OperationTimedOut</Code></Error>',
      XML,
    ),
    ...passing('Heroku H12', 503, 'UPSTREAM_UNAVAILABLE', '<html>Application error</html>', {
      server: 'Heroku',
      'content-type': 'text/html',
    }),
    ...passing('nginx', 502, 'UPSTREAM_UNAVAILABLE', '<html>502 Bad Gateway nginx</html>', {
      'content-type': 'text/html',
    }),
    ...passing('AWS load balancer', 504, 'TOOL_TIMEOUT', '<html>504 Gateway Time-out</html>', {
      server: 'awselb/2.0',
    }),
    ...passing(
      'Envoy',
      503,
      'UPSTREAM_UNAVAILABLE',
      'upstream connect error or disconnect/reset before headers. reset reason: connection failure',
    ),
    ...passing('request timeout of a proxy', 408, 'TOOL_TIMEOUT', ''),
    ...passing(
      'S3 waited too long for the body',
      400,
      'TOOL_TIMEOUT',
      '<Error><Code>RequestTimeout</Code><Message>x</Message></Error>',
      XML,
    ),
    row(
      'storage is full: no waiting helps',
      GET3,
      answer(507),
      fails('UPSTREAM_REJECTED', false, 'unknown'),
    ),
    row(
      'a captive portal: never reached',
      GET3,
      answer(511, { 'content-type': 'text/html' }, '<html>Log in to the network</html>'),
      fails('CONFIGURATION_ERROR', false, 'not_sent'),
    ),
    row(
      'Cloudflare 530 with 1016',
      GET,
      answer(530, { server: 'cloudflare' }, 'error code: 1016'),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
  ],
});
