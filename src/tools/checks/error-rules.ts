// `errors:` and declared predicates: each rule asks something, says one thing, and can ever match.
import { CATALOGUE, CATEGORIES } from '../../errors/catalogue.js';
import { TRANSPORT_CODES, transportRow } from '../../errors/transport-table.js';
import type { ConfigPath } from '../faults.js';
import { problemOfRe2 } from '../patterns.js';
import { didYouMean } from '../similar.js';
import { checkExactlyOne, type CheckContext, items, members, textOf } from './context.js';

const FAMILIES: readonly string[] = ['connection', 'timeout', 'tls'];
const MEANINGS = ['declined', 'transient', 'permanent', 'code'] as const;

/** @param ownCodes whether the tool is a module, that may throw codes of its own. */
export function checkErrorRules(
  context: CheckContext,
  path: ConfigPath,
  rules: unknown,
  ownCodes = false,
): void {
  items(rules).forEach((rule, index) => {
    const place = [...path, index];
    const when = members(rule)['when'];
    checkWhen(context, [...place, 'when'], when);
    checkTransport(context, [...place, 'when', 'transport'], members(when)['transport'], ownCodes);
    checkThen(context, [...place, 'then'], members(rule)['then']);
  });
}

function checkWhen(context: CheckContext, path: ConfigPath, value: unknown): void {
  if (value === undefined) return;
  const when = members(value);
  if (Object.keys(when).length === 0)
    context.fault(path, 'asks nothing, so the rule never matches', 'status, transport, body, …');
  if (when['body'] !== undefined)
    checkExactlyOne(context, [...path, 'body'], when['body'], ['equals', 'matches']);
  for (const part of ['body', 'header']) {
    const pattern = textOf(members(when[part])['matches']);
    const problem = pattern === undefined ? undefined : problemOfRe2(pattern);
    if (problem !== undefined)
      context.fault([...path, part, 'matches'], problem, 'a regular expression (RE2)');
  }
  const header = members(when['header']);
  if (header['equals'] !== undefined && header['matches'] !== undefined)
    checkExactlyOne(context, [...path, 'header'], header, ['equals', 'matches']);
}

/** A warning only: Node may have codes that the gateway has no meaning for. */
function checkTransport(
  context: CheckContext,
  path: ConfigPath,
  value: unknown,
  ownCodes: boolean,
): void {
  const code = textOf(value);
  if (code === undefined || FAMILIES.includes(code) || transportRow(code) !== undefined) return;
  const hint = hintOf(code, TRANSPORT_CODES);
  if (ownCodes && hint === '') return;
  context.warn(path, `${code} is no transport code that is known${hint}`);
}

function hintOf(name: string, names: readonly string[]): string {
  const meant = didYouMean(name, names);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

function checkThen(context: CheckContext, path: ConfigPath, value: unknown): void {
  if (value === undefined) return;
  const then = members(value);
  checkExactlyOne(context, path, then, MEANINGS);
  const code = textOf(then['code']);
  if (code !== undefined && !Object.hasOwn(CATALOGUE, code)) {
    context.fault(
      [...path, 'code'],
      `is no code of the catalogue${hintOf(code, Object.keys(CATALOGUE))}`,
      'a code of docs/errors.md',
    );
    return;
  }
  const hinted = ['retry_after_ms', 'retry_after_pointer'].filter((key) => then[key] !== undefined);
  if (hinted.length > 0 && !mayPass(then['transient'], code))
    context.warn(path, `${hinted.join(' and ')} has no effect: this outcome is not retried`);
}

function mayPass(transient: unknown, code: string | undefined): boolean {
  if (transient !== undefined) return true;
  const spec = code === undefined ? undefined : CATALOGUE[code as keyof typeof CATALOGUE];
  return spec !== undefined && CATEGORIES[spec.category].mayRetry;
}

/** A predicate has a pointer and exactly one comparison. */
export function checkPredicate(context: CheckContext, path: ConfigPath, value: unknown): void {
  checkExactlyOne(context, path, value, ['equals', 'not_equals', 'absent']);
}
