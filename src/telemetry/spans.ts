// The spans themselves: of a batch, a call and an attempt, and the batch that nobody records.
// Attributes are names and codes; never a message, an argument or an id that a client made up.
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { AttemptTrace, CallTrace, ToolResult } from '../call.js';
import type { TraceIds } from './cells.js';
import { formatTraceparent } from './traceparent.js';

/** How an attempt failed. */
interface Failure {
  readonly code: string;
  readonly category: string;
}

/** The span of one call. */
export interface CallSpan extends CallTrace {
  /** What goes upstream where no attempt has a span of its own. */
  readonly traceparent: string;
  /** For logs and exemplars. */
  readonly ids: TraceIds;
  end(result: ToolResult): void;
}

/** The trace of one batch. Always there; `startCall` says whether it is recorded. */
export interface BatchTrace {
  /** The trace's id where it is recorded, for the log. */
  readonly traceId: string | undefined;
  /** What goes upstream for a call without a span: the inbound context, or nothing. */
  readonly traceparent: string | undefined;
  /** The span of a call; undefined where nothing is recorded. `tool`: '' for a name no tool has. */
  startCall(tool: string): CallSpan | undefined;
  end(results: readonly ToolResult[]): void;
}

/** A batch that nobody records; an inbound context is passed on as it came. */
export class UnrecordedBatch implements BatchTrace {
  readonly traceId = undefined;
  readonly traceparent: string | undefined;

  constructor(traceparent: string | undefined) {
    this.traceparent = traceparent;
  }

  startCall(): undefined {
    return undefined;
  }

  end(): void {
    // Nothing was begun.
  }
}

export const UNRECORDED: BatchTrace = new UnrecordedBatch(undefined);

function fail(span: Span, { code, category }: Failure): void {
  span.setAttributes({ 'toolgate.code': code, 'toolgate.category': category, 'error.type': code });
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** `refused`: the gateway's policy does not allow this caller this tool. */
type TracedOutcome = 'ok' | 'error' | 'declined' | 'refused';

function tracedOutcome({ status, errorInfo }: ToolResult): TracedOutcome {
  return errorInfo?.code === 'TOOL_NOT_PERMITTED' ? 'refused' : status;
}

class RecordedAttempt implements AttemptTrace {
  readonly traceparent: string;
  readonly #span: Span;

  constructor(tracer: Tracer, parent: Context, tool: string, number: number) {
    this.#span = tracer.startSpan(
      `attempt ${tool}`,
      {
        kind: SpanKind.CLIENT,
        attributes: { 'toolgate.tool': tool, 'toolgate.attempt': number },
      },
      parent,
    );
    this.traceparent = formatTraceparent(this.#span.spanContext());
  }

  end(failure: Failure | null): void {
    if (failure === null) this.#span.setAttribute('toolgate.outcome', 'ok');
    else if (failure.category === 'declined') {
      this.#span.setAttributes({ 'toolgate.outcome': 'declined', 'toolgate.code': failure.code });
    } else {
      this.#span.setAttribute('toolgate.outcome', 'error');
      fail(this.#span, failure);
    }
    this.#span.end();
  }
}

class RecordedCall implements CallSpan {
  readonly traceparent: string;
  readonly ids: TraceIds;
  readonly #tracer: Tracer;
  readonly #tool: string;
  readonly #span: Span;
  readonly #context: Context;

  constructor(tracer: Tracer, parent: Context, tool: string) {
    this.#tracer = tracer;
    this.#tool = tool;
    const name = tool === '' ? 'call' : `call ${tool}`;
    this.#span = tracer.startSpan(name, { attributes: { 'toolgate.tool': tool } }, parent);
    this.#context = trace.setSpan(parent, this.#span);
    const context = this.#span.spanContext();
    this.ids = { traceId: context.traceId, spanId: context.spanId };
    this.traceparent = formatTraceparent(context);
  }

  startAttempt(number: number): AttemptTrace {
    return new RecordedAttempt(this.#tracer, this.#context, this.#tool, number);
  }

  end(result: ToolResult): void {
    this.#span.setAttributes({
      'toolgate.outcome': tracedOutcome(result),
      'toolgate.attempts': result.attempts,
    });
    const { errorInfo } = result;
    if (result.status === 'error' && errorInfo !== null) fail(this.#span, errorInfo);
    else if (errorInfo !== null) {
      this.#span.setAttributes({
        'toolgate.code': errorInfo.code,
        'toolgate.category': errorInfo.category,
      });
    }
    this.#span.end();
  }
}

export class RecordedBatch implements BatchTrace {
  readonly traceId: string;
  readonly traceparent: string;
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #context: Context;

  constructor(tracer: Tracer, span: Span) {
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(ROOT_CONTEXT, span);
    const context = span.spanContext();
    this.traceId = context.traceId;
    this.traceparent = formatTraceparent(context);
  }

  startCall(tool: string): CallSpan {
    return new RecordedCall(this.#tracer, this.#context, tool);
  }

  end(results: readonly ToolResult[]): void {
    const failed = results.filter(({ status }) => status === 'error').length;
    this.#span.setAttributes({ 'toolgate.calls': results.length, 'toolgate.failed': failed });
    this.#span.end();
  }
}
