// What the page at /ui shows, as data: the state that the gateway gives of each tool, beside what
// the meters counted of it in the last minutes.
import type { CodeCount, ToolMeter } from './tool-meter.js';
import { SLOT_MS, SLOTS, type WindowSummary } from './rolling-window.js';

/** A tool's state as the gateway knows it; the shape of its entry in `/healthz`. */
export interface UiToolState {
  readonly name: string;
  readonly status: 'ok' | 'degraded' | 'misconfigured';
  readonly breaker: {
    readonly state: 'closed' | 'half_open' | 'open';
    readonly retry_after_ms: number | null;
  } | null;
  readonly in_flight: number;
  readonly queued: number;
  readonly cooldown_ms: number;
  readonly limits: { readonly max_concurrent: number | null; readonly max_queue: number | null };
  readonly fault: string | null;
}

interface UiFailure {
  readonly tool: string;
  readonly code: string;
  readonly category: string;
  /** Since the tool was configured. */
  readonly count: number;
  /** Unix milliseconds of the last one. */
  readonly last_at: number;
}

interface UiTool extends UiToolState {
  /** null: not called in the last minutes. */
  readonly recent: WindowSummary | null;
}

export interface UiSnapshot {
  /** Unix milliseconds; the page counts down from here. */
  readonly at: number;
  readonly status: string;
  readonly version: string;
  readonly uptime_ms: number;
  readonly slot_ms: number;
  readonly slots: number;
  /** null: this viewer must show a key first. */
  readonly tools: readonly UiTool[] | null;
  readonly mcp_servers: readonly { readonly name: string; readonly state: string }[] | null;
  /** Newest first. */
  readonly failures: readonly UiFailure[];
}

export interface UiSource {
  readonly status: string;
  readonly version: string;
  readonly uptimeMs: number;
  readonly tools: Iterable<UiToolState>;
  readonly servers: Iterable<{ readonly name: string; readonly state: string }>;
  readonly meter: (tool: string) => ToolMeter | undefined;
}

/** Codes per tool and snapshot; there are 37, and the page shows the newest. */
const MAX_CODES = 8;

function failuresOf(tool: string, meter: ToolMeter): UiFailure[] {
  const newest = [...meter.failures.values()]
    .filter(({ status }) => status === 'error')
    .sort((a: CodeCount, b: CodeCount) => b.lastAt - a.lastAt);
  return newest
    .slice(0, MAX_CODES)
    .map(({ code, category, count, lastAt }) => ({ tool, code, category, count, last_at: lastAt }));
}

/** Takes a picture of everything; it costs about 10 µs a tool that is in use. */
export function buildUiSnapshot(source: UiSource): UiSnapshot {
  const tools: UiTool[] = [];
  const failures: UiFailure[] = [];
  for (const state of source.tools) {
    const meter = source.meter(state.name);
    const recent = meter?.recent();
    const idle = recent === undefined || recent.calls === 0;
    tools.push({ ...state, recent: idle ? null : recent });
    if (meter !== undefined) failures.push(...failuresOf(state.name, meter));
  }
  return {
    at: Date.now(),
    status: source.status,
    version: source.version,
    uptime_ms: Math.round(source.uptimeMs),
    slot_ms: SLOT_MS,
    slots: SLOTS,
    tools,
    mcp_servers: [...source.servers],
    failures: failures.sort((a, b) => b.last_at - a.last_at),
  };
}

/** What a viewer may see of it; `mayUse` undefined: nothing but the gateway's own state. */
export function snapshotFor(
  snapshot: UiSnapshot,
  mayUse: ((tool: string) => boolean) | undefined,
): UiSnapshot {
  if (mayUse === undefined) return { ...snapshot, tools: null, mcp_servers: null, failures: [] };
  return {
    ...snapshot,
    tools: snapshot.tools?.filter(({ name }) => mayUse(name)) ?? null,
    failures: snapshot.failures.filter(({ tool }) => mayUse(tool)),
  };
}
