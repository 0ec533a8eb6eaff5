// A progress notification as it may be passed on: numbers, and scrubbed words.
import type { JsonObject } from '../../call.js';

const MAX_MESSAGE_CHARS = 500;

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Never throws; what is no finite number or no text is left out (`progress`: 0). */
export function readProgress(params: JsonObject, scrub: (text: string) => string): Progress {
  const { progress, total, message } = params;
  return {
    progress: finite(progress) ?? 0,
    ...(finite(total) !== undefined && { total: Number(total) }),
    ...(typeof message === 'string' && {
      message: scrub(message.slice(0, 4 * MAX_MESSAGE_CHARS)).slice(0, MAX_MESSAGE_CHARS),
    }),
  };
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
