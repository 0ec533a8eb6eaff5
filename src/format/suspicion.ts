// Text that reads like an instruction to a model. A flag, not a verdict: it is told, never hidden.
// Patterns are bounded, so a hostile text costs no more than its length.
import { pointerTo } from './pointers.js';
import { neutralise } from './neutralise.js';
import { isObject } from '../json/object.js';

/** Where in a text something suspicious begins, and what kind it is of. */
export interface Suspicion {
  readonly kind: string;
  readonly at: number;
}

/** A suspicion in a JSON value: its place, never its text. */
export interface Finding {
  readonly kind: string;
  /** JSON Pointer into the result. */
  readonly path: string;
}

const MAX_FINDINGS = 20;
const MAX_NODES = 10_000;

const PATTERNS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    'override',
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,30}\b(?:previous|prior|above|earlier|all|any|your|the|system)\b[^.]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directives?|context)\b/i,
  ],
  [
    'override',
    /\b(?:ignor(?:e[zrn]?|iere?n?|a|ar|are)|vergiss|oublie[zr]?|olvida|dimentica)\b[^.]{0,40}\b(?:anweisung(?:en)?|instructions?|instrucciones|istruzioni|consignes|instruções)\b/iu,
  ],
  [
    'role',
    /(?:^|\n|\\n|")[ \t#*>]{0,8}(?:system|assistant|developer|human|instruction)[ \t*]{0,4}:/i,
  ],
  [
    'role',
    /\byou are now\b|\bfrom now on,? you\b|\bact as (?:an? )?(?:admin|root|developer|unrestricted)/i,
  ],
  [
    'new_instructions',
    /\b(?:new|updated|important|real|actual) (?:system )?(?:instructions?|prompt|directives?)\s*:/i,
  ],
  [
    'tool_use',
    /\b(?:you must|please|now|immediately|then)\b[^.]{0,20}\b(?:call|invoke|execute|run|use)\b[^\n]{0,40}\b(?:tool|function|command)\b/i,
  ],
  [
    'concealment',
    /\b(?:do not|don't|never)\b[^.]{0,20}\b(?:tell|inform|mention|reveal|show|notify)\b[^.]{0,20}\buser\b/i,
  ],
  [
    'exfiltration',
    /\b(?:reveal|print|repeat|send|leak|output)\b[^.]{0,20}\b(?:system prompt|api keys?|passwords?|secrets?|credentials?|conversation)\b/i,
  ],
];

/** What in a text reads like an instruction: the first of each kind, in order of place. */
export function findSuspicion(text: string): Suspicion[] {
  const firstOfKind = new Map<string, number>();
  for (const [kind, pattern] of PATTERNS) {
    const at = text.search(pattern);
    if (at >= 0) firstOfKind.set(kind, Math.min(at, firstOfKind.get(kind) ?? at));
  }
  return [...firstOfKind].map(([kind, at]) => ({ kind, at })).sort((a, b) => a.at - b.at);
}

/**
 * Walks a JSON value for strings (keys, too) that read like instructions.
 * @returns at most 20 findings, each with its place; of what stands behind 10 000 nodes, the whole
 */
export function findInValue(value: unknown): Finding[] {
  const findings: Finding[] = [];
  const open: { readonly value: unknown; readonly path: string }[] = [{ value, path: '' }];
  const look = (text: string, path: string): void => {
    const { text: clean, markers } = neutralise(text);
    if (markers > 0) findings.push({ kind: 'marker', path });
    for (const { kind } of findSuspicion(clean)) findings.push({ kind, path });
  };
  for (let nodes = 0; nodes < MAX_NODES && findings.length < MAX_FINDINGS; nodes++) {
    const next = open.pop();
    if (next === undefined) break;
    if (typeof next.value === 'string') look(next.value, next.path);
    else if (Array.isArray(next.value)) {
      next.value.forEach((item, i) => open.push({ value: item, path: next.path + pointerTo(i) }));
    } else if (isObject(next.value)) {
      for (const [key, member] of Object.entries(next.value)) {
        look(key, next.path + pointerTo(key));
        open.push({ value: member, path: next.path + pointerTo(key) });
      }
    }
  }
  // Nothing hides behind padding: what is left is looked at as one text.
  if (open.length > 0) look(JSON.stringify(open.map((left) => left.value)), '');
  return findings.slice(0, MAX_FINDINGS);
}
