// What an author's rules may look at, per kind of outcome. Built only for tools that have rules.
import type { ResponseEvidence } from './http-response.js';
import type { FailedOutcome } from './outcome.js';
import type { RuleEvidence } from './rule-conditions.js';
import { causeChain, codeOf, readThrown, statusOf } from './thrown-facts.js';
import { findTransport } from './transport.js';

/** Outcomes that come from outside; the others are the gateway's own and no rule's business. */
export type UpstreamOutcome = Extract<
  FailedOutcome,
  {
    kind:
      | 'response'
      | 'transport'
      | 'timeout'
      | 'thrown'
      | 'result-invalid'
      | 'mcp-result'
      | 'mcp-error'
      | 'mcp-connection';
  }
>;

/** The evidence of an outcome; `response` where it is one, read already. */
export function ruleEvidence(
  outcome: UpstreamOutcome,
  response: ResponseEvidence | undefined,
): RuleEvidence {
  switch (outcome.kind) {
    case 'response':
      return {
        status: outcome.status,
        headers: outcome.headers,
        body: response?.body.json,
        text: outcome.body,
      };
    case 'transport':
      return transportEvidence(outcome.error);
    case 'timeout':
      return { transportFamilies: ['timeout'] };
    case 'thrown':
      return thrownEvidence(outcome.error);
    case 'result-invalid':
      return outcome.status === undefined ? {} : { status: outcome.status };
    case 'mcp-result':
      return {
        isError: outcome.problem === 'is_error',
        body: outcome.structuredContent ?? jsonOf(outcome.text),
        text: outcome.text,
      };
    case 'mcp-error':
      return { mcpCode: outcome.code, body: outcome.data, text: outcome.message };
    case 'mcp-connection':
      return outcome.error === undefined
        ? { transportFamilies: ['connection'] }
        : transportEvidence(outcome.error);
  }
}

function transportEvidence(error: unknown): RuleEvidence {
  const transportCodes = causeChain(error)
    .map(codeOf)
    .filter((code) => code !== undefined);
  return { transportCodes, transportFamilies: findTransport(error)?.row.families ?? [] };
}

function thrownEvidence(error: unknown): RuleEvidence {
  const { typeNames, message } = readThrown(error);
  const status = statusOf(error);
  return {
    ...transportEvidence(error),
    ...(status !== undefined && { status }),
    typeNames,
    text: message,
  };
}

/** Some MCP servers put their structured error into the text. */
function jsonOf(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
