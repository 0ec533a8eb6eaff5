// Tool names as model providers can carry them: letters, digits, `_` and `-`, a letter or `_` first,
// at most 64. `weather.forecast` travels as `weather__forecast` and is read back through the table.
import { createHash } from 'node:crypto';

const MAX_CHARS = 64;

export interface AliasCollision {
  readonly alias: string;
  /** The names that would share it. */
  readonly names: readonly [string, string];
}

export interface Aliases {
  /** False when `collisions` is not empty. */
  readonly ok: boolean;
  /** Tool name -> alias; every tool has one, often its own name. */
  readonly toAlias: ReadonlyMap<string, string>;
  /** Alias -> tool name. Where two collide, the first keeps it. */
  readonly fromAlias: ReadonlyMap<string, string>;
  readonly collisions: readonly AliasCollision[];
}

/** The alias of one name; the same name always has the same one. */
export function aliasOf(name: string): string {
  let alias = name.replaceAll('.', '__').replace(/[^A-Za-z0-9_-]/g, '_');
  if (!/^[A-Za-z_]/.test(alias)) alias = `_${alias}`;
  if (alias.length <= MAX_CHARS) return alias;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${alias.slice(0, MAX_CHARS - 9)}_${digest}`;
}

/**
 * Aliases for a set of names. A collision (`a.b` and `a__b`) is reported, not thrown: the
 * configuration refuses it, tools discovered later lose theirs.
 */
export function buildAliases(names: Iterable<string>): Aliases {
  const toAlias = new Map<string, string>();
  const fromAlias = new Map<string, string>();
  const collisions: AliasCollision[] = [];
  for (const name of names) {
    if (toAlias.has(name)) continue;
    const alias = aliasOf(name);
    const holder = fromAlias.get(alias);
    if (holder !== undefined) {
      collisions.push({ alias, names: [holder, name] });
      continue;
    }
    toAlias.set(name, alias);
    fromAlias.set(alias, name);
  }
  return { ok: collisions.length === 0, toAlias, fromAlias, collisions };
}
