// `on_suspicion: fail`: a result that reads like an instruction becomes a TOOL_RESULT_ERROR with
// the places of its findings, never their text. The call itself was executed.
import type { OnSuspicion, ToolResult } from '../call.js';
import { CATALOGUE } from '../errors/catalogue.js';
import type { ErrorInfo } from '../errors/error-info.js';
import { readValue } from './result-content.js';
import { findInValue } from './suspicion.js';
import type { Finding } from './suspicion.js';

const CODE = 'TOOL_RESULT_ERROR';

function errorInfo(result: ToolResult, findings: readonly Finding[]): ErrorInfo {
  return {
    code: CODE,
    category: CATALOGUE[CODE].category,
    reason: 'suspicious_content',
    message: 'The result reads like instructions to a model and is held back.',
    retryable: false,
    retry_after_ms: null,
    effect: 'completed',
    details: {
      tool_name: result.tool,
      attempts: result.attempts,
      transient: false,
      classified_by: 'gateway',
      validation_type: 'result',
      findings,
    },
  };
}

/**
 * Holds a successful result back if it reads like an instruction and its tool's policy is `fail`;
 * any other result is returned as it is. Done once, at the end of a call's stair: whatever renders
 * results gets screened ones.
 */
export function screenResult(result: ToolResult, onSuspicion: OnSuspicion): ToolResult {
  if (onSuspicion !== 'fail' || result.result === null) return result;
  const findings = findInValue(readValue(result.result));
  if (findings.length === 0) return result;
  const info = errorInfo(result, findings);
  return { ...result, status: 'error', result: null, errorInfo: info };
}
