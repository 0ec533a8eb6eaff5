// The body of a request: the author's template, or the arguments that nothing else uses, in the form
// that the content type asks for.
import type { HttpUpstreamDefinition, JsonObject } from '../../call.js';
import { compileTemplate, type IsArgument } from '../../json/template.js';

export interface CompiledBody {
  /** For the header, unless the author sets it. */
  readonly contentType: string;
  /** null: no body for this call. */
  write(args: JsonObject): string | null;
}

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Compiles a tool's body; undefined where it sends none (`body: null` says so for a POST).
 *
 * @param usedInUrl arguments that the default body leaves out; those of `query:` are left out too
 */
export function compileBody(
  definition: HttpUpstreamDefinition,
  method: string,
  usedInUrl: ReadonlySet<string>,
  isArgument: IsArgument,
): CompiledBody | undefined {
  const source = definition.body;
  if (source === null) return undefined;
  const contentType = contentTypeOf(definition);
  const format = formatFor(contentType);
  if (source !== undefined) {
    const template = compileTemplate(source, isArgument);
    return {
      contentType,
      write: (args) => {
        const value = template(args);
        return value === undefined ? null : format(value);
      },
    };
  }
  if (!METHODS_WITH_BODY.has(method)) return undefined;
  const used = new Set(usedInUrl);
  compileTemplate(definition.query, (name) => {
    if (isArgument(name)) used.add(name);
    return false;
  });
  return { contentType, write: (args) => format(without(args, used)) };
}

function without(args: JsonObject, names: ReadonlySet<string>): JsonObject {
  if (names.size === 0) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)));
}

function contentTypeOf(definition: HttpUpstreamDefinition): string {
  for (const [name, value] of Object.entries(definition.headers)) {
    if (name.toLowerCase() === 'content-type') return value;
  }
  return 'application/json';
}

function formatFor(contentType: string): (value: unknown) => string {
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return asForm;
  if (/^[^;]*[/+]json\b/i.test(contentType)) return (value) => JSON.stringify(value);
  return (value) => (typeof value === 'string' ? value : JSON.stringify(value));
}

/** As in a query: arrays repeat, objects become JSON, null is left out. */
function asForm(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const form = new URLSearchParams();
  for (const [name, member] of Object.entries(value)) {
    const items: readonly unknown[] = Array.isArray(member) ? member : [member];
    for (const item of items) {
      if (item === undefined || item === null) continue;
      form.append(name, typeof item === 'string' ? item : JSON.stringify(item));
    }
  }
  return form.toString();
}
