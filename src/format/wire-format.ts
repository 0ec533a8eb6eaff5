// What a wire format is: four functions over one provider's shapes. The files beside this one each
// hold one format; `index.ts` lists them. Types only.
import type { OnSuspicion, ToolCall, ToolDefinition, ToolResult } from '../call.js';

/** What a request asks of the whole batch. */
export interface BatchOptions {
  /** Of the whole batch, from receipt, milliseconds. */
  readonly deadlineMs?: number;
  readonly runId?: string;
  readonly returnOrder: 'submission' | 'completion';
  /** `none`: the caller wraps untrusted text itself. Absent: the gateway does. */
  readonly envelope?: 'none';
}

/** A call as a format found it, before its arguments are read. */
export interface FoundCall {
  /** JSON Pointer of the call in the request body; undefined where it stands inside text. */
  readonly at?: string;
  /** JSON Pointer of its arguments in the request body. */
  readonly argumentsAt?: string;
  /** As the model wrote it; anything but a non-empty string is replaced by `call_N`. */
  readonly id: unknown;
  /** As the model wrote it, maybe an alias. */
  readonly name: unknown;
  /** An object, JSON text of one, null or absent. */
  readonly args: unknown;
  /** Faults of the call that the format found itself (JSON Pointer into the call). */
  readonly faults?: Readonly<Record<string, string>>;
  /** Faults of the arguments that the format found itself (JSON Pointer into the arguments). */
  readonly argumentFaults?: Readonly<Record<string, string>>;
  /** What the format's `render` needs to answer this call. */
  readonly wire?: unknown;
}

/** Why a body that was recognised cannot be read. */
export interface FormatFault {
  readonly code: 'PARSER_ERROR' | 'PARSER_INVALID_FORMAT';
  readonly message: string;
}

/** One answered call, as `render` gets it. */
export interface Answer {
  readonly result: ToolResult;
  /** The tool's name as the model wrote it; '' when it wrote none. */
  readonly name: string;
  /** What `parse` kept in `FoundCall.wire`. */
  readonly wire: unknown;
}

export interface RenderOptions {
  readonly envelope?: 'none';
  /** Tool name -> the name a provider can carry. */
  readonly toAlias: (name: string) => string;
  /** What to do with results that read like instructions, per tool; absent: annotate. */
  readonly onSuspicion?: (tool: string) => OnSuspicion;
}

/** Tools in a provider's own form, and what of their schemas it cannot carry. */
export interface Offer {
  readonly tools: readonly unknown[];
  readonly notes: readonly OfferNote[];
}

/** What had to be left out of one tool's offer. */
export interface OfferNote {
  readonly tool: string;
  /** JSON Pointer into the tool's input schema; '' for the whole. */
  readonly at: string;
  readonly note: string;
}

/** One provider's shapes. Adding one is a file with this in it and a line in `index.ts`. */
export interface WireFormat {
  readonly name: string;
  /** Whether a body has this format's shape. Cheap; sees the outside only. */
  detect(body: unknown): boolean;
  /** The calls of a body, in order; empty where it holds none. */
  parse(body: unknown): readonly FoundCall[] | FormatFault;
  /** Messages that the caller appends as they are. Every answer is rendered exactly once. */
  render(answers: readonly Answer[], options: RenderOptions): readonly unknown[];
  /** Tools as this provider declares them; absent where it has no such form. */
  readonly offer?: (
    tools: readonly ToolDefinition[],
    toAlias: (name: string) => string | undefined,
  ) => Offer;
}

export interface ParseOptions {
  /** Forces a format; absent: recognised by shape. */
  readonly format?: string;
  readonly maxBatch: number;
  /** The request's query parameters. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The tool that a provider-safe name stands for; the name itself where none does. */
  readonly fromAlias: (name: string) => string;
}

export interface EnvelopeFault extends FormatFault {
  readonly ok: false;
  /** JSON Pointer into the body -> what is wrong. */
  readonly errors?: Readonly<Record<string, string>>;
}

export interface ReadEnvelope<Name extends string = string> {
  readonly ok: true;
  readonly format: Name;
  readonly calls: readonly ToolCall[];
  readonly options: BatchOptions;
  /** For `renderMessages`; opaque to everybody else. */
  readonly context: unknown;
}
