// Which tools a list of patterns lets through: for clients, and for what is taken from an MCP server.

/**
 * Compiles patterns over tool names: `*` is any run of characters, `?` is one, `!` in front excludes.
 * The last pattern that matches decides; a name that none matches is not let through. Case counts.
 */
export function compilePatterns(patterns: readonly string[]): (toolName: string) => boolean {
  const rules = patterns
    .map((pattern) => {
      const excludes = pattern.startsWith('!');
      return { glob: excludes ? pattern.slice(1) : pattern, admits: !excludes };
    })
    .reverse();
  const [only] = rules;
  if (rules.length === 1 && only?.glob === '*') return () => only.admits;
  return (toolName) => rules.find((rule) => matchesGlob(rule.glob, toolName))?.admits ?? false;
}

/** Whether some pattern of the list can let anything through. */
export function admitsAnything(patterns: readonly string[]): boolean {
  return patterns.some((pattern) => !pattern.startsWith('!'));
}

/** Wildcard match in linear space without backtracking over more than the last `*`. */
function matchesGlob(glob: string, name: string): boolean {
  let g = 0;
  let n = 0;
  let star = -1;
  let resume = 0;
  while (n < name.length) {
    if (g < glob.length && glob[g] === '*') {
      star = g++;
      resume = n;
    } else if (g < glob.length && (glob[g] === '?' || glob[g] === name[n])) {
      g++;
      n++;
    } else if (star >= 0) {
      g = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
