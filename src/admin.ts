// Changing a running gateway: reload, tools put and deleted, breakers forced, the log's level. Every
// act is audited; a faulty configuration changes nothing.
import { parse } from 'yaml';
import type { OpenedConfiguration } from './configuration.js';
import type { Gateway } from './gateway/gateway.js';
import type { Admin, AdminResult } from './plugins/admin.js';
import { type Logger, parseLogLevel } from './telemetry/log.js';
import type { Metrics } from './telemetry/metrics.js';
import { type ConfigFault, formatFault, type LoadResult } from './tools/load.js';

export interface AdminDeps {
  readonly gateway: Gateway;
  readonly opened: OpenedConfiguration;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Faults of a reload that are logged; more help nobody. */
const MAX_LOGGED_FAULTS = 20;

interface RawDocument {
  tools?: { name?: unknown }[];
}

/** Builds the administrator's port of one process. */
export function createAdmin({ gateway, opened, logger, metrics }: AdminDeps): Admin {
  /** Set once tools were put or deleted since the file was read. */
  let changed: RawDocument | undefined;
  /** The document in force. Parsed when it is asked for: a start has parsed it once already. */
  const document = (): RawDocument =>
    changed ?? (parse(opened.text(), { merge: true }) as RawDocument);
  /** Changes happen one after the other. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(change: () => T | Promise<T>): Promise<T> => {
    const turn = last.then(change, change);
    last = turn.catch(() => undefined);
    return turn;
  };

  const apply = (loaded: LoadResult, tell: (fault: ConfigFault) => string): AdminResult => {
    if (!loaded.ok) return { ok: false, faults: byPath(loaded.faults, tell) };
    gateway.reload(loaded.config);
    return { ok: true };
  };

  /** A reload may have nobody to answer to: what it found stands in the log. */
  const report = (loaded: LoadResult): void => {
    if (loaded.ok) {
      for (const warning of loaded.warnings) logger.warn({ event: 'config_warning' }, warning);
      return;
    }
    for (const fault of loaded.faults.slice(0, MAX_LOGGED_FAULTS)) {
      logger.error({ event: 'config_fault', problem: formatFault(fault) }, 'configuration fault');
    }
  };

  const audit = (action: string, ok: boolean, more: object = {}): void => {
    const result = ok ? 'applied' : 'refused';
    logger.info({ event: 'audit', action, actor: 'admin', result, ...more }, 'admin');
  };

  return {
    reload: async (actor) =>
      inTurn(async () => {
        const loaded = await opened.load();
        const result = apply(loaded, whereAndWhat);
        if (result.ok) changed = undefined;
        report(loaded);
        metrics.configReloaded(result.ok);
        audit('reload', result.ok, { actor });
        return result;
      }),

    putTool: async (name, entry) =>
      inTurn(() => {
        if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
          return { ok: false, faults: { '': 'a tool is an object, as in the configuration' } };
        }
        const present = document();
        const others = (present.tools ?? []).filter((tool) => tool.name !== name);
        const next = { ...present, tools: [...others, { ...literally(entry), name }] };
        const result = apply(opened.parse(JSON.stringify(next)), what);
        if (result.ok) changed = next;
        audit('put_tool', result.ok, { tool: name });
        return result;
      }),

    deleteTool: async (name) =>
      inTurn(() => {
        const present = document();
        const others = (present.tools ?? []).filter((tool) => tool.name !== name);
        const found = others.length !== (present.tools ?? []).length;
        const next = { ...present, tools: others };
        const result = found ? apply(opened.parse(JSON.stringify(next)), what) : undefined;
        if (result?.ok === true) changed = next;
        audit('delete_tool', result?.ok === true, { tool: name });
        return result;
      }),

    forceBreaker: (name, state) => {
      const pipeline = gateway.find(name)?.pipeline;
      // A tool that cannot be stopped this way must not look as if it had been.
      const hasBreaker = pipeline !== undefined && pipeline.snapshot().breaker !== null;
      if (hasBreaker) pipeline.forceBreaker(state);
      audit('force_breaker', hasBreaker, { tool: name, to: state });
      if (pipeline === undefined) return 'no_tool';
      return hasBreaker ? 'forced' : 'no_breaker';
    },

    setLogLevel: (level) => {
      const known = level === '' ? undefined : parseLogLevel(level);
      if (known !== undefined) logger.level = known;
      audit('set_log_level', known !== undefined, known === undefined ? {} : { to: known });
      return known !== undefined;
    },
  };
}

/** Without places for the environment: an administrator's key is not to read it out. */
function literally(entry: object): object {
  // A function, for in a replacement text `$$` would stand for one `$`.
  return JSON.parse(JSON.stringify(entry).replaceAll('${', () => '$${')) as object;
}

/** What is wrong, by path. Several may share one: what is no YAML has no path at all. */
function byPath(
  faults: readonly ConfigFault[],
  tell: (fault: ConfigFault) => string,
): Record<string, string> {
  const told = new Map<string, string>();
  for (const fault of faults) {
    const before = told.get(fault.path);
    told.set(fault.path, before === undefined ? tell(fault) : `${before}; ${tell(fault)}`);
  }
  return Object.fromEntries(told);
}

/** Without its place: of a document that nobody wrote, lines say nothing. */
const what = ({ message, expected }: ConfigFault): string => `${message} (expected ${expected})`;

const whereAndWhat = (fault: ConfigFault): string =>
  `line ${fault.line}, column ${fault.column}: ${what(fault)}`;
