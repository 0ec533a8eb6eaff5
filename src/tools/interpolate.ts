// `${NAME}` in a text of the configuration is the environment's value of that name; `$${` is a
// literal `${`. Values are taken as they are: nothing in them is interpolated again.

const PLACEHOLDER = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

export interface Interpolation {
  readonly text: string;
  /** Variables that are not set. An empty one is set. */
  readonly missing: readonly string[];
  /** A `${` that is no placeholder was seen. */
  readonly malformed: boolean;
  readonly uses: readonly { name: string; value: string }[];
  /** The text was one placeholder and nothing else. */
  readonly whole: boolean;
}

/** Fills the placeholders of one text. */
export function interpolate(text: string, env: NodeJS.ProcessEnv): Interpolation {
  const missing: string[] = [];
  const uses: { name: string; value: string }[] = [];
  let malformed = false;
  let whole = false;
  const filled = text.replace(PLACEHOLDER, (match: string, name: string | undefined) => {
    if (match === '$${') return '${';
    if (name === undefined) {
      malformed = true;
      return match;
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) {
      missing.push(name);
      return '';
    }
    uses.push({ name, value });
    whole = match.length === text.length;
    return value;
  });
  return { text: filled, missing, malformed, uses, whole };
}
