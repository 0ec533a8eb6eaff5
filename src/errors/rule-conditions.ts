// The conditions of an author's rule. Each says how specific its match is, 0 for none; a rule
// holds when all of them do.
import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';
import type { ErrorRule } from './error-rule.js';
import { dig, pointerTokens } from './json-fields.js';
import type { HeaderBag } from './outcome.js';
import type { TransportFamily } from './transport-table.js';

/** What rules may look at. Members that cost something to find are read on demand. */
export interface RuleEvidence {
  readonly status?: number;
  readonly headers?: HeaderBag;
  /** Parsed body, `structuredContent` or JSON-RPC `data`; undefined where there is none. */
  readonly body?: unknown;
  readonly transportCodes?: readonly string[];
  readonly transportFamilies?: readonly TransportFamily[];
  readonly mcpCode?: number;
  readonly isError?: boolean;
  /** Class names of a thrown value, nearest first. */
  readonly typeNames?: readonly string[];
  readonly text?: string;
}

/** How specific the match is; 0: none. */
export type Condition = (evidence: RuleEvidence) => number;

type When = ErrorRule['when'];

const BODY_FIELD = 1000;
const HEADER = 500;
const EXACT = 100;
const CLASS = 50;
const TEXT = 10;

/** The longest text that a pattern is run over. */
const MAX_PATTERN_INPUT_CHARS = 8192;

/** The conditions of a `when`. An empty one never matches. */
export function compileCondition(when: When): readonly Condition[] {
  const conditions: Condition[] = [];
  if (when.status !== undefined) conditions.push(statusCondition(when.status));
  if (when.transport !== undefined) conditions.push(transportCondition(when.transport));
  if (when.body !== undefined) conditions.push(bodyCondition(when.body));
  if (when.header !== undefined) conditions.push(headerCondition(when.header));
  if (when.mcpCode !== undefined) conditions.push(exact('mcpCode', when.mcpCode));
  if (when.isError !== undefined) conditions.push(({ isError }) => (isError === true ? TEXT : 0));
  if (when.type !== undefined) conditions.push(typeCondition(when.type));
  if (when.text !== undefined) conditions.push(textCondition(when.text));
  return conditions;
}

function exact(member: 'mcpCode', wanted: number): Condition {
  return (evidence) => (evidence[member] === wanted ? EXACT : 0);
}

function statusCondition(wanted: NonNullable<When['status']>): Condition {
  const list = typeof wanted === 'object' ? wanted : [wanted];
  const statuses = new Set<number>();
  const classes = new Set<number>();
  for (const entry of list) {
    const hundred = typeof entry === 'string' ? /^([1-9])xx$/i.exec(entry)?.[1] : undefined;
    if (hundred === undefined) statuses.add(Number(entry));
    else classes.add(Number(hundred));
  }
  return ({ status }) => {
    if (status === undefined) return 0;
    if (statuses.has(status)) return EXACT;
    return classes.has(Math.trunc(status / 100)) ? CLASS : 0;
  };
}

function transportCondition(wanted: string): Condition {
  return ({ transportCodes = [], transportFamilies = [] }) => {
    if (transportCodes.includes(wanted)) return EXACT;
    return (transportFamilies as readonly string[]).includes(wanted) ? CLASS : 0;
  };
}

function bodyCondition(wanted: NonNullable<When['body']>): Condition {
  const path = pointerTokens(wanted.pointer);
  const { matches } = wanted;
  const pattern = matches === undefined ? undefined : compilePattern(matches);
  return ({ body }) => {
    if (path === undefined || body === undefined) return 0;
    const found = dig(body, path);
    if (found === undefined) return 0;
    if (matches !== undefined) return pattern?.(scalarText(found)) === true ? BODY_FIELD : 0;
    return !('equals' in wanted) || isDeepStrictEqual(found, wanted.equals) ? BODY_FIELD : 0;
  };
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function headerCondition({ name, equals, matches }: NonNullable<When['header']>): Condition {
  const key = name.toLowerCase();
  const pattern = matches === undefined ? undefined : compilePattern(matches);
  const holds = (value: string): boolean => {
    if (equals !== undefined) return value === equals;
    return matches === undefined || pattern?.(value) === true;
  };
  return ({ headers }) => {
    const value = headers?.[key];
    if (value === undefined) return 0;
    return (typeof value === 'string' ? [value] : value).some(holds) ? HEADER : 0;
  };
}

function typeCondition(wanted: string): Condition {
  return ({ typeNames = [] }) => {
    const distance = typeNames.indexOf(wanted);
    return distance < 0 ? 0 : Math.max(CLASS, EXACT - distance);
  };
}

function textCondition(wanted: string): Condition {
  const needle = wanted.toLowerCase();
  return ({ text }) => (text?.toLowerCase().includes(needle) === true ? TEXT : 0);
}

/**
 * A pattern as a test. RE2 runs in linear time over whatever an upstream sends; a pattern that only
 * JavaScript knows (look-around) runs there, over a bounded text.
 */
function compilePattern(source: string): ((text: string) => boolean) | undefined {
  try {
    const pattern = RE2JS.compile(source);
    return (text) => pattern.matcher(text.slice(0, MAX_PATTERN_INPUT_CHARS)).find();
  } catch {
    // Not RE2's dialect.
  }
  try {
    const pattern = new RegExp(source, 'u');
    return (text) => pattern.test(text.slice(0, 256));
  } catch {
    return undefined;
  }
}
