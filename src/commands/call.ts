// `toolgate call TOOL JSON` and `toolgate tools`: the gateway in this process, without HTTP.
import { styleText } from 'node:util';
import { toolView } from '../../routes/tools.js';
import type { ToolResult } from '../call.js';
import { Cancellation } from '../cancellation.js';
import { faultLines, openConfiguration } from '../configuration.js';
import { readEnvironment, StartFault } from '../environment.js';
import { parseEnvelope, resultPieces } from '../format/index.js';
import { ANONYMOUS } from '../gateway/clients.js';
import { Gateway } from '../gateway/gateway.js';

const EXIT_CODES = { ok: 0, error: 1, declined: 3 } as const;

/** Runs something with a gateway of the configuration, and closes it. */
async function withGateway<T>(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  use: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  const opened = await openConfiguration(file ?? readEnvironment(env).configFile, env);
  try {
    const loaded = await opened.load();
    if (!loaded.ok) throw new StartFault(faultLines(loaded.faults));
    const gateway = new Gateway(loaded.config);
    try {
      await gateway.start();
      return await use(gateway);
    } finally {
      await gateway.close();
    }
  } finally {
    opened.demo?.close();
  }
}

/** Calls one tool and prints its result; returns the exit code: 0 ok, 1 error, 3 declined. */
export async function call(
  tool: string,
  json: string,
  env: NodeJS.ProcessEnv,
  options: { config?: string; json: boolean },
): Promise<number> {
  return withGateway(options.config, env, async (gateway) => {
    const result = await execute(gateway, tool, json);
    const text = Buffer.concat(resultPieces(result).map((piece) => Buffer.from(piece))).toString();
    process.stdout.write(
      options.json || !process.stdout.isTTY ? `${text}\n` : pretty(result, text),
    );
    return EXIT_CODES[result.status];
  });
}

async function execute(gateway: Gateway, tool: string, json: string): Promise<ToolResult> {
  // The same reading as over HTTP, so that faults of the arguments are told the same way.
  const envelope = parseEnvelope({ calls: [{ id: 'call_1', tool, arguments: json }] }, [], {
    maxBatch: 1,
    query: {},
    fromAlias: (name) => name,
  });
  if (!envelope.ok) throw new StartFault(envelope.message);
  const cancellation = new Cancellation();
  const interrupt = (): void => {
    cancellation.cancel('cancelled_by_request');
  };
  process.once('SIGINT', interrupt);
  const patience = showPatience(tool);
  const outcome = await gateway.execute({
    calls: envelope.calls,
    batchId: 'cli',
    requestId: 'cli',
    client: ANONYMOUS,
    format: 'native',
    returnOrder: 'submission',
    receivedAt: performance.now(),
    mayReference: false,
    cancellation,
    onProgress: (_id, progress) => {
      patience.note(progress);
    },
  });
  patience.end();
  process.removeListener('SIGINT', interrupt);
  const result = outcome.ok ? outcome.results[0] : undefined;
  if (result === undefined) throw new StartFault('the call could not be run');
  return result;
}

/** On a terminal, says that a long call still runs, and how far it says it is. */
function showPatience(tool: string): { note: (progress: unknown) => void; end: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { note: () => undefined, end: () => undefined };
  const startedAt = performance.now();
  let share = '';
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    stderr.write(`\r\x1b[K${tool} … ${seconds} s${share}`);
  }, 1000);
  return {
    note: (progress) => {
      const { progress: done, total } = Object(progress) as { progress?: unknown; total?: unknown };
      if (typeof done !== 'number') return;
      share = typeof total === 'number' ? `, ${done} of ${total}` : `, ${done}`;
    },
    end: () => {
      clearInterval(timer);
      stderr.write('\r\x1b[K');
    },
  };
}

function pretty(result: ToolResult, text: string): string {
  const colour = ({ ok: 'green', error: 'red', declined: 'yellow' } as const)[result.status];
  const head = `${result.status} ${result.tool} (${result.durationMs.toFixed(1)} ms, attempts: ${result.attempts})`;
  return `${styleText(colour, head)}\n${JSON.stringify(JSON.parse(text), null, 2)}\n`;
}

/** Lists the tools of the configuration. */
export async function tools(
  env: NodeJS.ProcessEnv,
  options: { config?: string; json: boolean },
): Promise<void> {
  await withGateway(options.config, env, (gateway) => {
    const definitions = gateway.registry.visible(() => true);
    const width = Math.max(...definitions.map(({ name }) => name.length), 0);
    const lines = options.json
      ? [JSON.stringify({ tools: definitions.map(toolView) })]
      : definitions.map(({ name, description }) => `${name.padEnd(width)}  ${description}`);
    process.stdout.write(`${lines.join('\n')}\n`);
    return Promise.resolve();
  });
}
