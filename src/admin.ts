// Changing a running gateway: reload, tools put and deleted, breakers forced, the log's level. Every
// act is audited; a faulty configuration changes nothing.
import { parse } from 'yaml';
import type { OpenedConfiguration } from './configuration.js';
import type { Gateway } from './gateway/gateway.js';
import type { Admin, AdminResult } from './plugins/admin.js';
import { type Logger, parseLogLevel } from './telemetry/log.js';
import type { Metrics } from './telemetry/metrics.js';
import type { ConfigFault } from './tools/faults.js';

export interface AdminDeps {
  readonly gateway: Gateway;
  readonly opened: OpenedConfiguration;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface RawDocument {
  tools?: { name?: unknown }[];
}

/** Builds the administrator's port of one process. */
export function createAdmin({ gateway, opened, logger, metrics }: AdminDeps): Admin {
  /** The document in force, with the tools that were put or deleted since it was read. */
  let document: Promise<RawDocument> = readDocument(opened);
  /** Changes happen one after the other. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(change: () => Promise<T>): Promise<T> => {
    const turn = last.then(change, change);
    last = turn.catch(() => undefined);
    return turn;
  };

  const apply = async (text: string | undefined): Promise<AdminResult> => {
    const loaded = text === undefined ? await opened.load() : opened.parse(text);
    if (!loaded.ok) return { ok: false, faults: byPath(loaded.faults) };
    gateway.reload(loaded.config);
    return { ok: true };
  };

  const audit = (action: string, ok: boolean, more: object = {}): void => {
    const result = ok ? 'applied' : 'refused';
    logger.info({ event: 'audit', action, actor: 'admin', result, ...more }, 'admin');
  };

  return {
    reload: async (actor) =>
      inTurn(async () => {
        const result = await apply(undefined);
        if (result.ok) document = readDocument(opened);
        metrics.configReloaded(result.ok);
        audit('reload', result.ok, { actor });
        return result;
      }),

    putTool: async (name, entry) =>
      inTurn(async () => {
        if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
          return { ok: false, faults: { '': 'a tool is an object, as in the configuration' } };
        }
        const present = await document;
        const others = (present.tools ?? []).filter((tool) => tool.name !== name);
        // Taken to the letter: an administrator's key is not to read the environment out.
        const literal = JSON.parse(JSON.stringify(entry).replaceAll('${', '$${')) as object;
        const next = { ...present, tools: [...others, { ...literal, name }] };
        const result = await apply(JSON.stringify(next));
        if (result.ok) document = Promise.resolve(next);
        audit('put_tool', result.ok, { tool: name });
        return result;
      }),

    deleteTool: async (name) =>
      inTurn(async () => {
        const present = await document;
        const others = (present.tools ?? []).filter((tool) => tool.name !== name);
        const found = others.length !== (present.tools ?? []).length;
        const next = { ...present, tools: others };
        const result = found ? await apply(JSON.stringify(next)) : undefined;
        if (result?.ok === true) document = Promise.resolve(next);
        audit('delete_tool', result?.ok === true, { tool: name });
        return result?.ok === true;
      }),

    forceBreaker: (name, state) => {
      const runtime = gateway.find(name);
      runtime?.pipeline.forceBreaker(state);
      audit('force_breaker', runtime !== undefined, { tool: name, to: state });
      return runtime !== undefined;
    },

    setLogLevel: (level) => {
      const known = level === '' ? undefined : parseLogLevel(level);
      if (known !== undefined) logger.level = known;
      audit('set_log_level', known !== undefined, known === undefined ? {} : { to: known });
      return known !== undefined;
    },
  };
}

async function readDocument(opened: OpenedConfiguration): Promise<RawDocument> {
  return parse(await opened.read(), { merge: true }) as RawDocument;
}

function byPath(faults: readonly ConfigFault[]): Record<string, string> {
  return Object.fromEntries(
    faults.map(({ path, message, expected }) => [path, `${message} (expected ${expected})`]),
  );
}
