// `errors:` and declared predicates: each rule asks something, says one thing, and can ever match.
import { CATALOGUE, CATEGORIES } from '../../errors/catalogue.js';
import type { ConfigPath } from '../faults.js';
import { problemOfRe2 } from '../patterns.js';
import { didYouMean } from '../similar.js';
import { checkExactlyOne, type CheckContext, items, members, textOf } from './context.js';

const MEANINGS = ['declined', 'transient', 'permanent', 'code'] as const;

export function checkErrorRules(context: CheckContext, path: ConfigPath, rules: unknown): void {
  items(rules).forEach((rule, index) => {
    const place = [...path, index];
    checkWhen(context, [...place, 'when'], members(rule)['when']);
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

function checkThen(context: CheckContext, path: ConfigPath, value: unknown): void {
  if (value === undefined) return;
  const then = members(value);
  checkExactlyOne(context, path, then, MEANINGS);
  const code = textOf(then['code']);
  if (code !== undefined && !Object.hasOwn(CATALOGUE, code)) {
    const meant = didYouMean(code, Object.keys(CATALOGUE));
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    context.fault(
      [...path, 'code'],
      `is no code of the catalogue${hint}`,
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
