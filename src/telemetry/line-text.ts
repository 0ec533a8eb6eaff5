// The text of the gateway's own log lines. A batch writes one and every failed call another, so they
// are put together here instead of by pino, which takes as long for one as a refused call does.

/** As in every other line (log-fields.ts). */
const MAX_STRING = 200;

/** Ids and names as they mostly are: nothing in them needs an escape in JSON. */
const PLAIN = /^[\w .:/-]*$/;

let lastMs = -1;
let lastTime = '';

/** The time as pino writes it, formatted once a millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = new Date(now).toISOString();
  }
  return lastTime;
}

/** How a line begins: it goes on with members, and ends with `lineEnd`. */
export function lineStart(level: string): string {
  return `{"level":"${level}","time":"${isoTime()}"`;
}

export function lineEnd(message: string): string {
  return `,"msg":"${message}"}\n`;
}

/** A member with whatever text it may have, cut; nothing where there is none. */
export function textMember(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  if (value.length <= MAX_STRING && PLAIN.test(value)) return `,"${name}":"${value}"`;
  const cut = value.length > MAX_STRING ? `${value.slice(0, MAX_STRING)}…` : value;
  return `,"${name}":${JSON.stringify(cut)}`;
}

/** A member with a time or a count. */
export function numberMember(name: string, value: number | undefined): string {
  return value === undefined ? '' : `,"${name}":${Math.round(value * 10) / 10}`;
}

/** Counts by name, but for zeros; nothing where there are none. Names are codes: no escapes. */
export function countsMember(
  name: string,
  counts: Readonly<Record<string, number>> | undefined,
): string {
  let members = '';
  for (const key in counts) {
    const count = counts[key] ?? 0;
    if (count > 0) members += `${members === '' ? '' : ','}"${key}":${count}`;
  }
  return members === '' ? '' : `,"${name}":{${members}}`;
}
