// `toolgate serve`: the gateway on HTTP, until a signal.
import closeWithGrace from 'close-with-grace';
import { createAdmin } from '../admin.js';
import { buildApp } from '../app.js';
import { faultLines, openConfiguration } from '../configuration.js';
import { readEnvironment, StartFault } from '../environment.js';
import { Gateway } from '../gateway/gateway.js';
import { collectReading, tuneHeap } from '../heap-policy.js';
import { createObservability } from '../observability.js';
import { reloadOnChange } from '../reload.js';
import { drain, listen, refuseOpenDoor } from '../server.js';

/** Over the drain itself: for the last answers, and for a trace collector that does not answer. */
const EXIT_MARGIN_MS = 6_000;

/** Starts and returns once it listens; the process then lives until a signal. */
export async function serve(file: string | undefined, env: NodeJS.ProcessEnv): Promise<void> {
  tuneHeap();
  const environment = readEnvironment(env);
  const opened = await openConfiguration(file ?? environment.configFile, env);
  const loaded = await opened.load();
  if (!loaded.ok) throw new StartFault(faultLines(loaded.faults));
  collectReading();
  const observability = await createObservability(environment.logLevel, loaded.config, env);
  const { logger, metrics, gatewayOptions } = observability;
  for (const warning of loaded.warnings) logger.warn({ event: 'config_warning' }, warning);
  if ((env['TOOLGATE_REDIS_URL'] ?? '') !== '') {
    logger.warn('TOOLGATE_REDIS_URL is set, but this version keeps its state in memory');
  }
  const gateway = new Gateway(loaded.config, gatewayOptions);
  refuseOpenDoor(gateway, environment);
  observability.attach(gateway);
  process.on('unhandledRejection', (reason) => {
    gatewayOptions.onInternalError(reason, 'process');
  });
  // From here on there is something to leave in order: child processes of MCP servers.
  let leave = (): Promise<void> => gateway.close();
  closeWithGrace(
    {
      // Its limit would be that of the start; a reload may have set another.
      delay: false,
      logger: false,
      // SIGHUP reloads. A rejection that a module tool forgot must not end everybody's calls.
      skip: ['SIGHUP', 'unhandledRejection'],
    },
    async ({ signal, err }) => {
      const limitMs = gateway.config.server.drainTimeoutMs + EXIT_MARGIN_MS;
      setTimeout(() => process.exit(1), limitMs).unref();
      if (err !== undefined) gatewayOptions.onInternalError(err, 'process');
      else logger.info({ event: 'draining', signal }, 'draining');
      await leave();
      await observability.shutdown();
      opened.demo?.close();
    },
  );
  await gateway.start();
  const admin = createAdmin({ gateway, opened, logger, metrics });
  const app = await buildApp({
    gateway,
    metrics,
    admin,
    allowAnonymous: environment.allowAnonymous,
    onInternalError: gatewayOptions.onInternalError,
    ...(environment.adminKey !== undefined && { adminKey: environment.adminKey }),
  });
  // A signal has come while it started.
  if (gateway.draining) return;
  const url = await listen(app, environment).catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  logger.info({ event: 'listening', address: url }, 'listening');
  const watch = reloadOnChange(opened.file, admin);
  leave = async () => {
    watch.close();
    await drain(app, gateway);
  };
  // Last: whoever reads it may send a signal.
  greet(url, opened.demo !== undefined);
}

/** Not to standard output: every line there is a log line in JSON. */
function greet(url: string, demo: boolean): void {
  const lines = [`Toolgate answers on ${url}`];
  if (demo) {
    lines.push(
      'These are the demo tools. Try:',
      '',
      `  curl -s ${url}/v1/tool-calls -H 'content-type: application/json' \\`,
      `    -d '{"calls":[{"tool":"demo.weather","arguments":{"city":"Oslo"}},{"tool":"demo.limited"}]}'`,
      '',
      `In a browser: ${url}/docs to try it, ${url}/ui to watch it`,
    );
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}
