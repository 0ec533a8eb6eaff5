// The one result of a call: its outcome, classified, with what only the whole call knows.
import type { CallContext, ToolCall, ToolResult } from '../call.js';
import { classifyOnce, type ClassifySubject } from '../errors/classify.js';
import type { Classification, ErrorInfo } from '../errors/error-info.js';
import type { FailedOutcome, Outcome } from '../errors/outcome.js';

/** @param startedAt `performance.now()` milliseconds */
export function toResult(
  call: ToolCall,
  ctx: CallContext,
  outcome: Outcome,
  subject: ClassifySubject,
  startedAt: number,
): ToolResult {
  const isOk = outcome.kind === 'ok';
  const classification = isOk ? undefined : classifyOnce(outcome, subject, ctx);
  // One literal for every result: conditional spreads cost more than all layers together.
  return {
    id: call.id,
    tool: call.tool,
    status: classification?.status ?? 'ok',
    result: isOk ? outcome.result : null,
    errorInfo:
      isOk || classification === undefined
        ? null
        : withHistory(classification, outcome, call, ctx, subject),
    attempts: ctx.attempts,
    durationMs: performance.now() - startedAt,
    cached: isOk ? outcome.cached === true : outcome.kind === 'stored',
    warnings: isOk ? outcome.warnings : undefined,
    truncatedFromBytes: isOk ? outcome.truncatedFromBytes : undefined,
  };
}

/** Whoever calls is not let in: what the call asks for was not looked at. */
const AT_THE_DOOR: readonly ErrorInfo['category'][] = ['configuration', 'permission'];

/**
 * Adds what only the whole call knows: its attempts, why it stopped, and effects of earlier attempts.
 * The verdict belongs to this call alone, so that it is written to, not copied.
 */
function withHistory(
  { info, refusedBeforeExecution }: Classification,
  outcome: FailedOutcome,
  call: ToolCall,
  ctx: CallContext,
  subject: ClassifySubject,
): ErrorInfo {
  if (outcome.kind === 'stored') return info;
  const { details } = info;
  details.attempts = ctx.attempts;
  // Without a tool the name is whatever the caller wrote.
  if (subject.toolName === '') details.tool_name = subject.scrubber.text(call.tool, 64);
  if (ctx.retryStoppedBy !== undefined) details['retry_stopped_by'] = ctx.retryStoppedBy;
  if (ctx.attemptLog !== undefined) details['attempt_log'] = ctx.attemptLog;
  // Refused at the door, the last attempt says nothing of an earlier one, which may have had its effect.
  const atTheDoor = !subject.idempotent && AT_THE_DOOR.includes(info.category);
  const isNoAnswer = info.effect === 'not_sent' || refusedBeforeExecution || atTheDoor;
  if (ctx.effectMayHaveHappened && isNoAnswer) {
    info.effect = 'unknown';
    info.retryable &&= subject.idempotent || ctx.keySent;
  }
  return info;
}
