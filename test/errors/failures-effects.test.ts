// Failures that people who run agents reported in public, and their kin: what the call may have done.
import type { FailedOutcome, Phase, TimeoutScope } from '../../src/errors/outcome.js';
import { failureCase, means } from './failure-case.js';
import { coded, response } from './helpers.js';

const timedOut = (
  phase: Phase,
  timeoutMs: number,
  scope: TimeoutScope = 'attempt',
): FailedOutcome => ({
  kind: 'timeout',
  scope,
  phase,
  timeoutMs,
});
const broken = (error: unknown, phase: Phase = 'awaiting_headers'): FailedOutcome => ({
  kind: 'transport',
  error,
  phase,
});
const aggregate = (...codes: string[]): Error =>
  new AggregateError(codes.map((code) => coded(code)));

// prettier-ignore
failureCase('C07: a number in prose is not a status', [
  ['500 with numbers', 'GET', response(500, { 'content-type': 'text/plain' }, 'req_429abc crashed at handler.mjs:429:15 after 503 rows'), means('UPSTREAM_SERVER_ERROR retry unknown failure', null, { upstream_status: 500 })],
  ['400 that speaks of a timeout', 'GET', response(400, {}, 'timeout must be at most 429'), means('UPSTREAM_INVALID_REQUEST no completed success')],
  ['404 that speaks of 503', 'GET', response(404, {}, { message: 'no document 503' }), means('UPSTREAM_REJECTED no completed success')],
  ['422 that speaks of rate limit', 'GET', response(422, {}, { message: 'rate limit must be positive' }), means('UPSTREAM_INVALID_REQUEST no completed success')],
  ['401 that speaks of too many requests', 'GET', response(401, {}, 'too many requests with this token'), means('UPSTREAM_AUTH_FAILED no completed neutral')],
  ['500 that says invalid state', 'GET', response(500, {}, 'invalid state, argument required'), means('UPSTREAM_SERVER_ERROR retry unknown failure')],
  ['a body code 429 beside a 400', 'GET', response(400, {}, { code: 429, message: 'm' }), means('UPSTREAM_INVALID_REQUEST no completed success')],
  ['a reset that mentions 429', 'GET', broken(Object.assign(new Error('429 503 rate limit'), { code: 'ECONNRESET' })), means('TOOL_TRANSPORT_ERROR retry unknown failure')],
  ['a thrown text with an id', 'GET', { kind: 'thrown', error: new Error('row 14293 missing in batch 5031') }, means('UNMAPPED_FAILURE no unknown neutral')],
  ['a thrown text with a place', 'GET', { kind: 'thrown', error: new Error('crashed at handler.mjs:503:15') }, means('UNMAPPED_FAILURE no unknown neutral')],
  ['MCP isError with words of the domain', 'MCP idempotent', { kind: 'mcp-result', problem: 'is_error', text: 'timeout column is required; 429 rows' }, means('TOOL_EXECUTION_FAILED no completed success')],
  ['MCP error message with numbers', 'MCP idempotent', { kind: 'mcp-error', code: -32000, message: 'HTTP 503, timed out' }, means('MCP_SERVER_ERROR no unknown neutral')],
]);

// prettier-ignore
failureCase('C08: a time-out after the commit', [
  ['POST waiting for headers', 'POST', timedOut('awaiting_headers', 300), means('TOOL_TIMEOUT no unknown failure', null, { transient: true, scope: 'attempt', phase: 'awaiting_headers', timeout: 0.3 })],
  ['idempotent', 'GET', timedOut('awaiting_headers', 300), means('TOOL_TIMEOUT retry unknown failure')],
  ['with a key', 'POST+key', timedOut('awaiting_headers', 300), means('TOOL_TIMEOUT retry unknown failure')],
  ['still connecting', 'POST', timedOut('connecting', 300), means('TOOL_TIMEOUT retry not_sent failure', null, { phase: 'connecting' })],
  ['still queued', 'POST', timedOut('queued', 300), means('TOOL_TIMEOUT retry not_sent neutral')],
  ['half sent', 'POST', timedOut('sending', 300), means('TOOL_TIMEOUT no unknown failure')],
  ['reading the body', 'POST', timedOut('reading_body', 300), means('TOOL_TIMEOUT no unknown failure')],
  ["the batch's deadline", 'POST', timedOut('awaiting_headers', 5000, 'deadline'), means('TOOL_TIMEOUT no unknown failure', null, { scope: 'deadline', timeout: 5 })],
  ['the deadline before the attempt', 'POST', timedOut('queued', 5000, 'deadline'), means('TOOL_TIMEOUT retry not_sent neutral', null, { scope: 'deadline' })],
  ["the upstream's own 504", 'POST', response(504), means('TOOL_TIMEOUT no unknown failure', null, { transient: true })],
  ["the upstream's own 408", 'POST', response(408), means('TOOL_TIMEOUT no unknown failure')],
  ["undici's headers timer", 'POST', broken(coded('UND_ERR_HEADERS_TIMEOUT')), means('TOOL_TIMEOUT no unknown failure')],
  ['behind MCP', 'MCP', timedOut('awaiting_headers', 300), means('MCP_TIMEOUT no unknown failure', null, { timeout: 0.3, operation: 'tool_call' })],
]);

// prettier-ignore
failureCase('C09: a reset before and after the request left', [
  ['RST after the body', 'POST', broken(coded('ECONNRESET')), means('TOOL_TRANSPORT_ERROR no unknown failure', null, { transient: true, system_code: 'ECONNRESET' })],
  ['refused', 'POST', broken(coded('ECONNREFUSED'), 'connecting'), means('TOOL_CONNECTION_FAILED retry not_sent failure', null, { system_code: 'ECONNREFUSED' })],
  ['RST to a GET', 'GET', broken(coded('ECONNRESET')), means('TOOL_TRANSPORT_ERROR retry unknown failure')],
  ['RST to a POST with a key', 'POST+key', broken(coded('ECONNRESET')), means('TOOL_TRANSPORT_ERROR retry unknown failure')],
  ['RST while connecting', 'POST', broken(coded('ECONNRESET'), 'connecting'), means('TOOL_CONNECTION_FAILED retry not_sent failure')],
  ['the other side closed', 'POST', broken(coded('UND_ERR_SOCKET')), means('TOOL_TRANSPORT_ERROR no unknown failure', null, { system_code: 'UND_ERR_SOCKET' })],
  ['broken pipe while sending', 'POST', broken(coded('EPIPE'), 'sending'), means('TOOL_TRANSPORT_ERROR no unknown failure')],
  ['refused on both families', 'POST', broken(aggregate('ECONNREFUSED', 'ECONNREFUSED'), 'connecting'), means('TOOL_CONNECTION_FAILED retry not_sent failure')],
  ['no route, then refused', 'POST', broken(aggregate('ENETUNREACH', 'ECONNREFUSED'), 'connecting'), means('TOOL_CONNECTION_FAILED retry not_sent failure')],
  ['no such host', 'POST', broken(coded('ENOTFOUND'), 'connecting'), means('TOOL_CONNECTION_FAILED no not_sent failure')],
  ['DNS for now', 'POST', broken(coded('EAI_AGAIN'), 'connecting'), means('TOOL_CONNECTION_FAILED retry not_sent failure')],
  ['connect timed out', 'POST', broken(coded('UND_ERR_CONNECT_TIMEOUT'), 'connecting'), means('TOOL_CONNECTION_FAILED retry not_sent failure')],
  ['certificate expired', 'POST', broken(coded('CERT_HAS_EXPIRED'), 'connecting'), means('CONFIGURATION_ERROR no not_sent neutral')],
  ['garbage instead of HTTP', 'GET', broken(coded('HPE_INVALID_CONSTANT')), means('TOOL_TRANSPORT_ERROR no unknown failure')],
  ['a blocked address', 'GET', broken(coded('TOOLGATE_BLOCKED_ADDRESS'), 'connecting'), means('CONFIGURATION_ERROR no not_sent neutral')],
]);

// prettier-ignore
failureCase('C12: an HTTP error with nothing to say', [
  ['500, empty', 'POST', response(500, { 'content-length': '0' }), means('UPSTREAM_SERVER_ERROR no unknown failure', null, { transient: true, upstream_status: 500 })],
  ['400, empty', 'POST', response(400), means('UPSTREAM_INVALID_REQUEST no completed success')],
  ['500 {}', 'POST', response(500, {}, '{}'), means('UPSTREAM_SERVER_ERROR no unknown failure')],
  ['500 null', 'POST', response(500, {}, 'null'), means('UPSTREAM_SERVER_ERROR no unknown failure')],
  ['500 HTML', 'GET', response(500, { 'content-type': 'text/html' }, '<html>'), means('UPSTREAM_SERVER_ERROR retry unknown failure')],
  ['502, empty', 'GET', response(502), means('UPSTREAM_UNAVAILABLE retry unknown failure')],
  ['503, empty', 'POST', response(503), means('UPSTREAM_UNAVAILABLE no unknown failure')],
  ['404, empty', 'GET', response(404), means('UPSTREAM_REJECTED no completed success')],
  ['401, empty', 'GET', response(401), means('UPSTREAM_AUTH_FAILED no completed neutral')],
  ['405, empty', 'GET', response(405), means('CONFIGURATION_ERROR no completed neutral')],
  ['302 to elsewhere (X02)', 'GET', response(302, { location: 'http://other.test/x' }), means('UPSTREAM_REJECTED no completed success', null, { upstream_status: 302 })],
  ['307 to a POST', 'POST', response(307, { location: '/' }), means('UPSTREAM_REJECTED no completed success')],
  ['499 of a proxy', 'GET', response(499), means('TOOL_TRANSPORT_ERROR retry unknown failure')],
]);

// prettier-ignore
failureCase('C13 to C16: what the breaker hears', [
  ['an open breaker', 'POST', { kind: 'circuit-open', failureCount: 5, retryAfterMs: 700, resetTimeoutMs: 1000 }, means('TOOL_CIRCUIT_OPEN retry not_sent neutral', { min: 1, max: 1000 }, { effect: 'not_sent', failure_count: 5, reset_timeout: 1 })],
  ['isError', 'MCP', { kind: 'mcp-result', problem: 'is_error', text: 'anchor not found' }, means('TOOL_EXECUTION_FAILED no completed success')],
  ['422', 'GET', response(422), means('UPSTREAM_INVALID_REQUEST no completed success')],
  ['404', 'GET', response(404), means('UPSTREAM_REJECTED no completed success')],
  ['409', 'POST', response(409), means('UPSTREAM_REJECTED no completed success')],
  ['503', 'GET', response(503), means('UPSTREAM_UNAVAILABLE retry unknown failure')],
  ['a probe that ends with 401', 'GET', response(401), means('UPSTREAM_AUTH_FAILED no completed neutral')],
  ['a probe that ends with 429', 'GET', response(429), means('TOOL_RATE_LIMITED retry completed neutral')],
  ['a probe that is cancelled', 'GET', { kind: 'cancelled', reason: 'client_left', phase: 'awaiting_headers' }, means('TOOL_CANCELLED no unknown neutral')],
  ['a probe refused by the bulkhead', 'GET', { kind: 'bulkhead-full', limit: 1, queued: 0, retryAfterMs: 5, cause: 'queue_full' }, means('BULKHEAD_FULL retry not_sent neutral', 5)],
  ['a probe refused by the limiter', 'GET', { kind: 'rate-limited', scope: 'tool', retryAfterMs: 5, limit: 1 }, means('TOOL_RATE_LIMITED retry not_sent neutral', 5)],
  ['a result that breaks its promise', 'GET', { kind: 'result-invalid', problem: 'schema', explanation: 'x.' }, means('TOOL_RESULT_ERROR no completed success')],
  ['connection refused', 'GET', broken(coded('ECONNREFUSED'), 'connecting'), means('TOOL_CONNECTION_FAILED retry not_sent failure')],
]);

// prettier-ignore
failureCase('C23, C24: calls that never ran', [
  ['arguments that are no JSON', 'POST', { kind: 'invalid-arguments', errors: { '': 'not valid JSON' } }, means('TOOL_ARGUMENT_ERROR no not_sent neutral', null, { validation_type: 'arguments' })],
  ['arguments against the schema', 'POST', { kind: 'invalid-arguments', errors: { '/plan': 'must be array' } }, means('TOOL_ARGUMENT_ERROR no not_sent neutral', null, { errors: { '/plan': 'must be array' } })],
  ['no fault given', 'GET', { kind: 'invalid-arguments', errors: {} }, means('TOOL_ARGUMENT_ERROR no not_sent neutral')],
  ['an unknown field of the call', 'GET', { kind: 'invalid-call', errors: { '/timout_ms': 'unknown field' } }, means('TOOL_ARGUMENT_ERROR no not_sent neutral', null, { errors: { '/timout_ms': 'unknown field' } })],
  ['an unknown tool', 'GET', { kind: 'unknown-tool', availableTools: ['a'], suggestions: [] }, means('TOOL_NOT_FOUND no not_sent neutral', null, { available_tools: ['a'] })],
  ['a tool of others', 'GET', { kind: 'not-permitted' }, means('TOOL_NOT_PERMITTED no not_sent neutral')],
  ['a dependency that failed', 'GET', { kind: 'dependency-failed', dependency: { id: 'a', code: 'TOOL_TIMEOUT' } }, means('DEPENDENCY_FAILED no not_sent neutral')],
  ['the same key, other arguments', 'POST', { kind: 'idempotency-conflict' }, means('IDEMPOTENCY_CONFLICT no not_sent neutral')],
  ['a module that does not load', 'POST', { kind: 'misconfigured', explanation: 'The module could not be loaded.' }, means('CONFIGURATION_ERROR no not_sent neutral')],
  ['cancelled in the queue', 'POST', { kind: 'cancelled', reason: 'client_left', phase: 'queued' }, means('TOOL_CANCELLED no not_sent neutral')],
  ['an upstream that answers 400', 'GET', response(400, {}, 'bad'), means('UPSTREAM_INVALID_REQUEST no completed success')],
]);

// prettier-ignore
failureCase('X03, X04: what an attempt record is made of', [
  ['429, then noise', 'GET', response(429, { 'retry-after': '1' }), means('TOOL_RATE_LIMITED retry completed neutral', 1000)],
  ['RST before headers', 'GET', broken(coded('ECONNRESET')), means('TOOL_TRANSPORT_ERROR retry unknown failure')],
  ['503 without a hint', 'GET', response(503), means('UPSTREAM_UNAVAILABLE retry unknown failure')],
  ['503 with a hint', 'GET', response(503, { 'retry-after': '2' }), means('UPSTREAM_UNAVAILABLE retry unknown failure', 2000)],
  ['529', 'GET', response(529), means('UPSTREAM_UNAVAILABLE retry unknown failure')],
  ['500 with a hint', 'GET', response(500, { 'retry-after': '2' }), means('UPSTREAM_SERVER_ERROR retry unknown failure', 2000)],
  ['a gRPC pushback', 'GET', response(503, { 'grpc-retry-pushback-ms': '40' }), means('UPSTREAM_UNAVAILABLE retry unknown failure', 40)],
  ['a negative one: no wait', 'GET', response(503, { 'grpc-retry-pushback-ms': '-1' }), means('UPSTREAM_UNAVAILABLE retry unknown failure')],
  ['421 once more', 'POST', response(421), means('UPSTREAM_REJECTED retry not_sent neutral')],
  ['425', 'POST', response(425, { 'retry-after': '1' }), means('UPSTREAM_UNAVAILABLE retry not_sent neutral', 1000)],
  ['the pool was closed under it', 'POST', broken(coded('UND_ERR_CLOSED'), 'queued'), means('RESOURCE_EXHAUSTED retry not_sent neutral')],
]);
