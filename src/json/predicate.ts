// Whether a declared test on a JSON value holds (`success_when`, `verify.confirmed_when`).
import { isDeepStrictEqual } from 'node:util';
import type { Predicate } from '../errors/error-rule.js';
import { compilePointer } from './pointer.js';

export type CompiledPredicate = (value: unknown) => boolean;

/**
 * Compiles a predicate. `equals` needs the pointer to lead somewhere; `notEquals` also holds where
 * it leads nowhere; `absent: true` holds only there (a `null` is not absent).
 */
export function compilePredicate(predicate: Predicate): CompiledPredicate {
  const get = compilePointer(predicate.pointer);
  return (value) => {
    const at = get(value);
    if (predicate.absent !== undefined) return predicate.absent !== at.found;
    if ('equals' in predicate) return at.found && isDeepStrictEqual(at.value, predicate.equals);
    if ('notEquals' in predicate) return !isDeepStrictEqual(at.value, predicate.notEquals);
    return at.found;
  };
}
