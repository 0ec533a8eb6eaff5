// C25 and its kin: no secret in any failure, wherever the upstream put it.
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/errors/classify.js';
import type { FailedOutcome } from '../../src/errors/outcome.js';
import { mcpSubject, response, subject } from './helpers.js';

const SECRETS = [
  'tok_CANARY1',
  'Bearer CANARY2',
  'CANARY3',
  'http://u:pw@up/x?securityToken=tok_CANARY1',
];
const SAID = 'bad key CANARY3 for Bearer CANARY2 at http://u:pw@up/x?securityToken=tok_CANARY1';
const b64 = Buffer.from('CANARY3').toString('base64');

// prettier-ignore
const CASES: readonly (readonly [name: string, outcome: FailedOutcome])[] = [
  ['as reported', response(500, { 'set-cookie': 'sid=CANARY4' }, SAID)],
  ['in a JSON message', response(500, {}, { error: { message: SAID, code: 'CANARY3' } })],
  ['in problem+json', response(400, { 'content-type': 'application/problem+json' }, { type: `https://x/?key=CANARY3`, title: SAID, detail: SAID })],
  ['in base64', response(500, {}, `key ${b64} and ${Buffer.from('u:CANARY3').toString('base64')}`)],
  ['percent-encoded', response(500, {}, encodeURIComponent(SAID))],
  ['in the XML of AWS', response(400, {}, `<Error><Code>CANARY3</Code><Message>${SAID}</Message></Error>`)],
  ['in the message of a refused connection', { kind: 'transport', phase: 'connecting', error: Object.assign(new Error(`connect ECONNREFUSED http://u:pw@up/x?securityToken=tok_CANARY1`), { code: 'ECONNREFUSED' }) }],
  ['in a cause', { kind: 'transport', phase: 'sending', error: new TypeError('fetch failed', { cause: Object.assign(new Error(SAID), { code: 'CANARY3' }) }) }],
  ['thrown with a stack', { kind: 'thrown', error: Object.assign(new Error(SAID), { stack: `Error: ${SAID}\n    at x (CANARY3.js:1:1)` }) }],
  ['thrown as a name', { kind: 'thrown', error: { name: 'CANARY3', message: SAID } }],
  ['in an isError text', { kind: 'mcp-result', problem: 'is_error', text: SAID, structuredContent: { echo: [SAID], CANARY3: 1 } }],
  ['in a JSON-RPC error', { kind: 'mcp-error', code: -32042, message: SAID, data: { url: SAID } }],
  ['in a result that broke its promise', { kind: 'result-invalid', problem: 'schema', explanation: SAID, errors: { '/CANARY3': SAID }, content: SAID }],
  ['in an error_info of the upstream', response(500, {}, { error_info: { code: 'UPSTREAM_REJECTED', category: 'execution', message: SAID, retryable: false, retry_after_ms: null, effect: 'completed', details: { CANARY3: SAID } } })],
  ['at the end of a body that was cut', { kind: 'response', status: 500, headers: {}, body: `${'CANARY3 '.repeat(8000)}CANAR`, bodyTruncated: true }],
  ['split by a control character', response(500, {}, 'CAN\u0000ARY3 tok_\u200bCANARY1')],
];

describe('C25: secrets in failures', () => {
  it.each(CASES)('%s', (_name, outcome) => {
    for (const tool of [subject({ secrets: SECRETS }), mcpSubject({ secrets: SECRETS })]) {
      const text = JSON.stringify(classify(outcome, tool, false));
      for (const canary of [
        'CANARY1',
        'CANARY2',
        'CANARY3',
        'CANARY4',
        'u:pw',
        b64,
        'CANAR ',
        'CANAR"',
      ]) {
        expect(text).not.toContain(canary);
      }
    }
  });

  it('the failure stays what it is', () => {
    const { info, breaker } = classify(CASES[0]![1], subject({ secrets: SECRETS }), false);
    expect({ ...info, breaker }).toMatchObject({
      code: 'UPSTREAM_SERVER_ERROR',
      category: 'execution',
      retryable: true,
      retry_after_ms: null,
      effect: 'unknown',
      breaker: 'failure',
    });
    expect(info.message).toContain('bad key [redacted]');
  });
});
