// What the tool's author says about an upstream, and an upstream that speaks the taxonomy itself: who
// wins, what is matched, and what a rule can never do.
import {
  answer,
  declines,
  type Expected,
  fails,
  GET,
  GET3,
  hang,
  imf,
  ok,
  POST,
  POST3,
  reset,
  type Row,
  row,
  runRows,
  type Step,
  succeeds,
  type ToolConfig,
} from './table.js';

type Rule = { when: object; then: object };

const rule = (when: object, then: object): Rule => ({ when, then });

function ruled(
  name: string,
  rules: readonly Rule[],
  script: Step | readonly Step[],
  expected: Expected,
  tool: ToolConfig = GET3,
): Row {
  const by =
    expected.status === 'ok' ? {} : { details: { classified_by: 'author', ...expected.details } };
  return row(name, { ...tool, errors: rules }, script, { ...expected, ...by });
}

/** No rule spoke. */
const unruled = (
  name: string,
  rules: readonly Rule[],
  script: Step,
  expected: Expected,
  tool: ToolConfig = GET,
): Row =>
  row(name, { ...tool, errors: rules }, script, {
    ...expected,
    details: { classified_by: 'status' },
  });

const permanently = (reason: string, more: Partial<Expected> = {}): Expected => ({
  status: 'error',
  retryable: false,
  reason,
  ...more,
});

const transiently = (reason: string, more: Partial<Expected> = {}): Expected => ({
  status: 'error',
  retryable: true,
  reason,
  ...more,
});

const NOT_CANCELLABLE = {
  declined: 'booking_not_cancellable',
  message: 'This fare is non-refundable.',
};
const CONFLICT = answer(409, {}, { error: { code: 'fare_locked', message: 'No.' } });

const matches = (name: string, body: object, upstream: unknown, hit: boolean): Row =>
  hit
    ? ruled(
        name,
        [rule({ status: 400, body }, { declined: 'hit' })],
        answer(400, {}, upstream as object),
        declines('hit'),
      )
    : unruled(
        name,
        [rule({ status: 400, body }, { declined: 'hit' })],
        answer(400, { 'content-type': 'application/json' }, JSON.stringify(upstream)),
        fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
      );

const pointed = (name: string, value: unknown, retry: Expected['retry'], headers = {}): Row =>
  ruled(
    name,
    [rule({ status: 400 }, { code: 'TOOL_RATE_LIMITED', retry_after_pointer: '/wait' })],
    answer(
      400,
      { 'content-type': 'application/json', ...headers },
      JSON.stringify({ wait: value }),
    ),
    {
      status: 'error',
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      ...(retry !== undefined && { retry }),
    },
    GET,
  );

const speaks = (info: object): object => ({
  error_info: {
    code: 'TOOL_RATE_LIMITED',
    category: 'rate_limit',
    message: 'The inner limit was reached.',
    retryable: true,
    retry_after_ms: 1200,
    effect: 'completed',
    details: { tool_name: 'inner', attempts: 1, transient: true, classified_by: 'gateway' },
    ...info,
  },
});

const misspoken = (name: string, info: object): Row =>
  row(
    name,
    GET,
    answer(500, {}, speaks(info)),
    fails('UPSTREAM_SERVER_ERROR', true, 'unknown', { details: { classified_by: 'status' } }),
  );

runRows({
  'a refusal is data': [
    ...[400, 403, 404, 409, 410, 412, 422, 423, 429, 451, 500, 503].map((status) =>
      ruled(
        `${status} that means no`,
        [rule({ status }, NOT_CANCELLABLE)],
        answer(status, { 'retry-after': '1' }, { error: { code: 'fare_locked' } }),
        declines('booking_not_cancellable', {
          message: /^This fare is non-refundable\.$/,
          breaker: 'success',
          requests: 1,
        }),
        status % 2 === 0 ? GET3 : { ...POST3, idempotent: true },
      ),
    ),
    ruled(
      'without a message it still says something',
      [rule({ status: 409 }, { declined: 'no' })],
      CONFLICT,
      declines('no'),
    ),
    ruled(
      'after a failure that was repeated',
      [rule({ status: 409 }, { declined: 'no' })],
      [answer(503), CONFLICT],
      declines('no', { requests: 2, attempts: 2 }),
    ),
  ],

  'the most specific rule wins, wherever it stands': [
    ruled(
      'field over status',
      [
        rule({ status: 409 }, { permanent: 'by_status' }),
        rule(
          { status: 409, body: { pointer: '/error/code', equals: 'fare_locked' } },
          { declined: 'by_field' },
        ),
      ],
      CONFLICT,
      declines('by_field'),
    ),
    ruled(
      'status where the field is another',
      [
        rule(
          { status: 409, body: { pointer: '/error/code', equals: 'other' } },
          { declined: 'by_field' },
        ),
        rule({ status: 409 }, { permanent: 'by_status' }),
      ],
      CONFLICT,
      permanently('by_status'),
    ),
    ruled(
      'status over class',
      [
        rule({ status: '4xx' }, { permanent: 'by_class' }),
        rule({ status: 409 }, { declined: 'by_status' }),
      ],
      CONFLICT,
      declines('by_status'),
    ),
    ruled(
      'a list of statuses over class',
      [
        rule({ status: '5xx' }, { permanent: 'by_class' }),
        rule({ status: [500, 502] }, { declined: 'by_list' }),
      ],
      answer(502),
      declines('by_list'),
    ),
    ruled(
      'class',
      [rule({ status: '5xx' }, { declined: 'by_class' })],
      answer(599),
      declines('by_class', { breaker: 'success' }),
    ),
    ruled(
      'class in a list',
      [rule({ status: [404, '5xx'] }, { declined: 'by_class' })],
      answer(503),
      declines('by_class'),
    ),
    ruled(
      'class with a field over the bare status',
      [
        rule({ status: 409 }, { permanent: 'by_status' }),
        rule(
          { status: 409, body: { pointer: '/error/code', matches: '^fare_' } },
          { declined: 'by_match' },
        ),
      ],
      CONFLICT,
      declines('by_match'),
    ),
    unruled(
      'another class',
      [rule({ status: '4xx' }, { declined: 'no' })],
      answer(500),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown', { breaker: 'failure' }),
    ),
    unruled(
      'another status',
      [rule({ status: 409 }, { declined: 'no' })],
      answer(410),
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
    ruled(
      'exact transport code over family',
      [
        rule({ transport: 'connection' }, { permanent: 'by_family' }),
        rule({ transport: 'ECONNREFUSED' }, { transient: 'by_code', retry_after_ms: 2500 }),
      ],
      ok,
      transiently('by_code', { effect: 'not_sent', retry: 2500, requests: 0 }),
      { ...POST, origin: 'http://REFUSED' },
    ),
    ruled(
      'transport family',
      [rule({ transport: 'connection' }, { permanent: 'by_family' })],
      ok,
      permanently('by_family', { effect: 'not_sent', requests: 0, attempts: 1 }),
      { ...POST3, origin: 'http://REFUSED' },
    ),
    ruled(
      'a reset said to be permanent is not repeated',
      [rule({ transport: 'ECONNRESET' }, { permanent: 'by_code' })],
      reset,
      permanently('by_code', { effect: 'unknown', requests: 1 }),
    ),
    row(
      'a rule for another code is none',
      { ...GET3, errors: [rule({ transport: 'ECONNREFUSED' }, { permanent: 'x' })] },
      reset,
      fails('TOOL_TRANSPORT_ERROR', true, 'unknown', {
        requests: 3,
        details: { classified_by: 'transport' },
      }),
    ),
    row(
      'tls is another family',
      { ...GET3, errors: [rule({ transport: 'tls' }, { permanent: 'x' })] },
      reset,
      fails('TOOL_TRANSPORT_ERROR', true, 'unknown', { requests: 3 }),
    ),
    row(
      'a status rule does not speak of a time-out of ours',
      { ...POST3, timeout_ms: 60, errors: [rule({ status: '5xx' }, { declined: 'x' })] },
      hang,
      fails('TOOL_TIMEOUT', false, 'unknown'),
    ),
  ],

  'fields of the body': [
    matches('a text', { pointer: '/code', equals: 'X' }, { code: 'X' }, true),
    matches('a number', { pointer: '/code', equals: 42 }, { code: 42 }, true),
    matches('a number is no text', { pointer: '/code', equals: '42' }, { code: 42 }, false),
    matches('a text is no number', { pointer: '/code', equals: 42 }, { code: '42' }, false),
    matches('true', { pointer: '/final', equals: true }, { final: true }, true),
    matches('false is not absent', { pointer: '/final', equals: false }, {}, false),
    matches('null', { pointer: '/x', equals: null }, { x: null }, true),
    matches('null is not absent', { pointer: '/x', equals: null }, {}, false),
    matches(
      'an object, its keys in any order',
      { pointer: '/x', equals: { a: 1, b: 2 } },
      { x: { b: 2, a: 1 } },
      true,
    ),
    matches(
      'an object with more',
      { pointer: '/x', equals: { a: 1 } },
      { x: { a: 1, b: 2 } },
      false,
    ),
    matches(
      'an item of a list',
      { pointer: '/errors/0/code', equals: 'X' },
      { errors: [{ code: 'X' }] },
      true,
    ),
    matches(
      'another item of the list',
      { pointer: '/errors/0/code', equals: 'X' },
      { errors: [{}, { code: 'X' }] },
      false,
    ),
    matches('a name with a dot', { pointer: '/a.b', equals: 1 }, { 'a.b': 1 }, true),
    matches('a name with a slash', { pointer: '/a~1b', equals: 1 }, { 'a/b': 1 }, true),
    matches('the whole body', { pointer: '', equals: ['no'] }, ['no'], true),
    matches(
      'a pattern',
      { pointer: '/code', matches: '^NO_(CITY|TOWN)$' },
      { code: 'NO_TOWN' },
      true,
    ),
    matches(
      'a pattern, another text',
      { pointer: '/code', matches: '^NO_(CITY|TOWN)$' },
      { code: 'NO_TOWNSHIP' },
      false,
    ),
    matches('a pattern and a list', { pointer: '/code', matches: 'X' }, { code: ['X'] }, false),
    matches(
      'a name of the prototype',
      { pointer: '/constructor/name', equals: 'Object' },
      {},
      false,
    ),
    matches('a pointer into a text', { pointer: '/code/length', equals: 1 }, { code: 'X' }, false),
    unruled(
      'an HTML page has no fields',
      [rule({ status: 400, body: { pointer: '/code', equals: 'X' } }, { declined: 'hit' })],
      answer(400, { 'content-type': 'text/html' }, '<html>{"code":"X"}</html>'),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    unruled(
      'nor has broken JSON',
      [rule({ status: 503, body: { pointer: '/code', equals: 'X' } }, { declined: 'hit' })],
      answer(503, { 'content-type': 'application/json' }, '{"code":"X"'),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    ruled(
      'a field without a status',
      [rule({ body: { pointer: '/error/code', equals: 'fare_locked' } }, { declined: 'hit' })],
      CONFLICT,
      declines('hit'),
    ),
  ],

  'headers of the answer': [
    ruled(
      'equals, in any case of the name',
      [
        rule(
          { status: 503, header: { name: 'X-Maintenance', equals: 'true' } },
          { permanent: 'maintenance' },
        ),
      ],
      answer(503, { 'x-maintenance': 'true' }),
      permanently('maintenance', { requests: 1 }),
    ),
    unruled(
      'another value',
      [
        rule(
          { status: 503, header: { name: 'x-maintenance', equals: 'true' } },
          { permanent: 'x' },
        ),
      ],
      answer(503, { 'x-maintenance': 'false' }),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    unruled(
      'no such header',
      [
        rule(
          { status: 503, header: { name: 'x-maintenance', equals: 'true' } },
          { permanent: 'x' },
        ),
      ],
      answer(503),
      fails('UPSTREAM_UNAVAILABLE', true, 'unknown'),
    ),
    ruled(
      'a pattern',
      [rule({ header: { name: 'x-reason', matches: '^fare' } }, { declined: 'fare' })],
      answer(409, { 'x-reason': 'fare-7' }),
      declines('fare'),
    ),
    unruled(
      'every key must hold',
      [rule({ status: 404, header: { name: 'x-reason', matches: '^fare' } }, { declined: 'fare' })],
      answer(409, { 'x-reason': 'fare-7' }),
      fails('UPSTREAM_REJECTED', false, 'completed'),
    ),
  ],

  'what then': [
    ruled(
      'permanent: a 503 that will not pass',
      [rule({ status: 503 }, { permanent: 'sunset' })],
      answer(503, { 'retry-after': '1' }),
      permanently('sunset', { requests: 1, details: { transient: false } }),
    ),
    ruled(
      'permanent on a rate limit',
      [rule({ status: 429 }, { permanent: 'plan_limit' })],
      answer(429, { 'retry-after': '1' }),
      permanently('plan_limit', { requests: 1 }),
    ),
    ruled(
      'transient: a 409 that passes, GET',
      [rule({ status: 409 }, { transient: 'locked', retry_after_ms: 5 })],
      [CONFLICT, ok],
      succeeds({ fine: true }, { requests: 2 }),
    ),
    ruled(
      'transient, told with its time',
      [rule({ status: 409 }, { transient: 'locked', retry_after_ms: 1500 })],
      CONFLICT,
      transiently('locked', { retry: 1500, details: { transient: true } }),
      GET,
    ),
    ruled(
      'transient, a zero is a time',
      [rule({ status: 409 }, { transient: 'locked', retry_after_ms: 0 })],
      CONFLICT,
      transiently('locked', { retry: 0 }),
      GET,
    ),
    ruled(
      'transient, longer than a wait may be',
      [rule({ status: 409 }, { transient: 'locked', retry_after_ms: 60_000 })],
      CONFLICT,
      transiently('locked', {
        retry: 60_000,
        details: { retry_stopped_by: 'retry_after_exceeds_deadline' },
      }),
    ),
    ruled(
      'transient never makes a reset of a POST safe',
      [rule({ transport: 'ECONNRESET' }, { transient: 'flaky' })],
      reset,
      {
        status: 'error',
        retryable: false,
        effect: 'unknown',
        reason: 'flaky',
        requests: 1,
        details: { transient: true },
      },
      POST3,
    ),
    ruled(
      'code: rate limit',
      [rule({ status: 420 }, { code: 'TOOL_RATE_LIMITED' })],
      answer(420, { 'retry-after': '9' }),
      fails('TOOL_RATE_LIMITED', true, 'completed', { retry: 9000 }),
      GET,
    ),
    ruled(
      'code: quota',
      [
        rule(
          { status: 400, body: { pointer: '/error/type', equals: 'no_credit' } },
          { code: 'UPSTREAM_QUOTA_EXHAUSTED' },
        ),
      ],
      answer(400, {}, { error: { type: 'no_credit' } }),
      fails('UPSTREAM_QUOTA_EXHAUSTED', false, 'completed', { requests: 1 }),
    ),
    ruled(
      'code: authentication behind a 403',
      [rule({ status: 403 }, { code: 'UPSTREAM_AUTH_FAILED' })],
      answer(403),
      fails('UPSTREAM_AUTH_FAILED', false, 'completed'),
    ),
    ruled(
      'code: a 404 of an item that an upstream means as invalid',
      [rule({ status: 404 }, { code: 'UPSTREAM_INVALID_REQUEST' })],
      answer(404),
      fails('UPSTREAM_INVALID_REQUEST', false, 'completed'),
    ),
    ruled(
      'code: its category bounds retryable, whatever the status',
      [rule({ status: 503 }, { code: 'UPSTREAM_FORBIDDEN' })],
      answer(503, { 'retry-after': '1' }),
      { status: 'error', code: 'UPSTREAM_FORBIDDEN', retryable: false, requests: 1 },
    ),
    ruled(
      'a message of the author',
      [rule({ status: 400 }, { permanent: 'no_such_city', message: 'There is no such city.' })],
      answer(400, {}, { message: 'E_CITY 17' }),
      permanently('no_such_city', { message: /^There is no such city\.$/ }),
    ),
    ruled(
      'the real machine code stays in the details',
      [rule({ status: 409 }, { permanent: 'locked' })],
      CONFLICT,
      permanently('locked', { details: { upstream_code: 'fare_locked', upstream_status: 409 } }),
    ),
    ruled(
      'a transient rule does not stop an upstream that said no',
      [rule({ status: 409 }, { transient: 'locked' })],
      answer(409, { 'x-should-retry': 'false' }),
      transiently('locked', { requests: 1, details: { retry_stopped_by: 'upstream_said_no' } }),
    ),
  ],

  'when to come back, from a field': [
    pointed('seconds', 12, 12_000),
    pointed('a fraction', 1.25, 1250),
    pointed('a text of digits', '12', 12_000),
    pointed('zero', 0, 0),
    pointed('a date of HTTP, past', imf(Date.now() - 60_000), 0),
    pointed('a date of HTTP', imf(Date.now() + 60_000), [30_000, 61_000]),
    pointed('RFC 3339, past', new Date(Date.now() - 60_000).toISOString(), 0),
    pointed('RFC 3339', new Date(Date.now() + 60_000).toISOString(), [30_000, 61_000]),
    pointed('epoch seconds', Math.floor(Date.now() / 1000) + 60, [30_000, 61_000]),
    pointed('a day and more', 200_000, 86_400_000),
    ...[-5, null, 'soon', {}, [7], true, ''].map((value) =>
      pointed(`no hint: ${JSON.stringify(value)}`, value, null),
    ),
    pointed('a header wins over it', 12, 3000, { 'retry-after': '3' }),
  ],

  'a 2xx that says no, and what the author says of it': (() => {
    const slack: ToolConfig = {
      ...POST3,
      idempotent: true,
      http: { success_when: { pointer: '/ok', equals: true } },
    };
    const rules = [
      rule(
        { body: { pointer: '/error', equals: 'ratelimited' } },
        { code: 'TOOL_RATE_LIMITED', retry_after_ms: 1 },
      ),
      rule(
        { body: { pointer: '/error', equals: 'channel_not_found' } },
        { declined: 'channel_not_found' },
      ),
      rule(
        { body: { pointer: '/error', matches: '^(invalid|not)_auth' } },
        { code: 'UPSTREAM_AUTH_FAILED' },
      ),
    ];
    return [
      ruled(
        'refused',
        rules,
        answer(200, {}, { ok: false, error: 'channel_not_found' }),
        declines('channel_not_found', { breaker: 'success' }),
        slack,
      ),
      ruled(
        'limited, then fine',
        rules,
        [answer(200, {}, { ok: false, error: 'ratelimited' }), answer(200, {}, { ok: true })],
        succeeds({ ok: true }, { requests: 2 }),
        slack,
      ),
      ruled(
        'authentication',
        rules,
        answer(200, {}, { ok: false, error: 'not_authed' }),
        fails('UPSTREAM_AUTH_FAILED', false, 'completed', { requests: 1 }),
        slack,
      ),
      row(
        'nothing is said of it',
        { ...slack, errors: rules },
        answer(200, {}, { ok: false, error: 'fatal_error' }),
        fails('TOOL_EXECUTION_FAILED', false, 'completed', { breaker: 'success' }),
      ),
      ruled(
        'it is fine: the rules are not asked',
        rules,
        answer(200, {}, { ok: true, error: 'channel_not_found' }),
        succeeds({ ok: true, error: 'channel_not_found' }),
        slack,
      ),
    ];
  })(),

  'an upstream that speaks this taxonomy': [
    row('a rate limit with 503', GET, answer(503, {}, speaks({})), {
      status: 'error',
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      effect: 'completed',
      retry: 1200,
      message: /inner limit/,
    }),
    row(
      'a permanent failure with 500',
      GET3,
      answer(
        500,
        {},
        speaks({
          code: 'UPSTREAM_REJECTED',
          category: 'execution',
          retryable: false,
          retry_after_ms: null,
          details: { tool_name: 'inner', attempts: 1, transient: false, classified_by: 'status' },
        }),
      ),
      fails('UPSTREAM_REJECTED', false, 'completed', { requests: 1 }),
    ),
    row(
      'not sent, with 500',
      GET,
      answer(
        500,
        {},
        speaks({
          code: 'TOOL_CIRCUIT_OPEN',
          category: 'circuit_open',
          effect: 'not_sent',
          retry_after_ms: 900,
        }),
      ),
      fails('TOOL_CIRCUIT_OPEN', true, 'not_sent', { retry: 900 }),
    ),
    row(
      'it wins over the author',
      { ...GET, errors: [rule({ status: 503 }, { permanent: 'sunset' })] },
      answer(503, {}, speaks({})),
      { status: 'error', code: 'TOOL_RATE_LIMITED', retryable: true, retry: 1200 },
    ),
    row('its reason goes through', GET, answer(500, {}, speaks({ reason: 'fair_use' })), {
      status: 'error',
      code: 'TOOL_RATE_LIMITED',
      retryable: true,
      retry: 1200,
      reason: 'fair_use',
    }),
    misspoken('a code nobody knows', { code: 'SOMETHING_ELSE' }),
    misspoken('a category that is not that of the code', { category: 'timeout' }),
    misspoken('retryable where the category forbids it', {
      code: 'UPSTREAM_INVALID_REQUEST',
      category: 'validation',
      retryable: true,
    }),
    misspoken('retryable is a text', { retryable: 'true' }),
    misspoken('a negative time', { retry_after_ms: -1 }),
    misspoken('a time that is a text', { retry_after_ms: '1200' }),
    misspoken('an effect nobody knows', { effect: 'maybe' }),
    misspoken('no message', { message: 7 }),
    row(
      'error_info is a text',
      GET,
      answer(500, {}, { error_info: 'TOOL_TIMEOUT' }),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown'),
    ),
    row(
      'error_info is null',
      GET,
      answer(500, {}, { error_info: null }),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown'),
    ),
    row(
      'error_info is deeper in the body',
      GET,
      answer(500, {}, { data: speaks({}) }),
      fails('UPSTREAM_SERVER_ERROR', true, 'unknown'),
    ),
  ],
});
