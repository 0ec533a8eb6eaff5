// Reads what was thrown without trusting it: strings, null, proxies, getters that throw, cyclic
// causes and AggregateErrors all give plain facts. Nothing here throws or recurses without bound.

/** A thrown value as facts. */
export interface ThrownFacts {
  /** Class names, nearest first: constructor, `name`, then the ancestors'. */
  readonly typeNames: readonly string[];
  /** At most 8192 characters, unscrubbed. */
  readonly message: string;
}

const MAX_NODES = 32;
/** Where errors keep what caused them: the language, Stripe's client, older libraries. */
const CAUSES = ['cause', 'detail', 'originalError'] as const;
const MAX_MESSAGE_CHARS = 8192;
const MAX_ANCESTORS = 8;

/** A property of anything, undefined where reading it fails. */
export function readProperty(value: unknown, key: string | symbol): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return undefined;
  try {
    return (value as Record<string | symbol, unknown>)[key];
  } catch {
    return undefined;
  }
}

/** The value, its causes and its aggregated errors, outermost first; cycles are cut. */
export function causeChain(error: unknown): readonly unknown[] {
  const nodes: unknown[] = [error];
  for (let i = 0; i < nodes.length && nodes.length < MAX_NODES; i++) {
    const node = nodes[i];
    for (const key of CAUSES) {
      const cause = readProperty(node, key);
      if (cause !== undefined && cause !== null && !nodes.includes(cause)) nodes.push(cause);
    }
    for (const inner of listOf(readProperty(node, 'errors'))) {
      if (nodes.length < MAX_NODES && !nodes.includes(inner)) nodes.push(inner);
    }
  }
  return nodes;
}

/** Class names and message of a thrown value. */
export function readThrown(error: unknown): ThrownFacts {
  return { typeNames: typeNames(error), message: messageOf(error).slice(0, MAX_MESSAGE_CHARS) };
}

/** A string code of one node: `error.code`. */
export function codeOf(node: unknown): string | undefined {
  const code = readProperty(node, 'code');
  return typeof code === 'string' && code.length <= 100 ? code : undefined;
}

/** An HTTP status that an error carries, as client libraries attach it. */
export function statusOf(error: unknown): number | undefined {
  const response = readProperty(error, 'response');
  for (const status of [
    readProperty(error, 'status'),
    readProperty(error, 'statusCode'),
    readProperty(error, 'status_code'),
    readProperty(response, 'status'),
    readProperty(response, 'statusCode'),
    readProperty(readProperty(error, '$metadata'), 'httpStatusCode'),
  ]) {
    if (typeof status === 'number' && Number.isInteger(status) && status >= 300 && status < 600) {
      return status;
    }
  }
  return undefined;
}

function typeNames(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null) return [];
  const names: string[] = [];
  const add = (name: unknown): void => {
    if (typeof name === 'string' && name !== '' && !names.includes(name)) names.push(name);
  };
  add(readProperty(readProperty(error, 'constructor'), 'name'));
  add(readProperty(error, 'name'));
  let prototype = prototypeOf(prototypeOf(error));
  for (let depth = 0; prototype !== null && depth < MAX_ANCESTORS; depth++) {
    add(readProperty(readProperty(prototype, 'constructor'), 'name'));
    prototype = prototypeOf(prototype);
  }
  return names;
}

function prototypeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  try {
    return Object.getPrototypeOf(value) as unknown;
  } catch {
    return null;
  }
}

function messageOf(error: unknown): string {
  switch (typeof error) {
    case 'string':
      return error;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(error);
    default: {
      const message = readProperty(error, 'message');
      return typeof message === 'string' ? message : '';
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  try {
    return Array.isArray(value) ? (value as unknown[]).slice(0, MAX_NODES) : [];
  } catch {
    return [];
  }
}
