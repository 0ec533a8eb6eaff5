// `toolgate serve`: the gateway on HTTP, until a signal.
import closeWithGrace from 'close-with-grace';
import { buildApp } from '../app.js';
import { openConfiguration } from '../configuration.js';
import { readEnvironment, StartFault } from '../environment.js';
import { Gateway } from '../gateway/gateway.js';
import { createObservability } from '../observability.js';
import { drain, listen, refuseOpenDoor } from '../server.js';

/** Extra time for connections to close, over the drain itself. */
const EXIT_MARGIN_MS = 2_000;

/** Starts and returns once it listens; the process then lives until a signal. */
export async function serve(file: string | undefined, env: NodeJS.ProcessEnv): Promise<void> {
  const environment = readEnvironment(env);
  const opened = await openConfiguration(file ?? environment.configFile, env);
  const loaded = await opened.load();
  if (!loaded.ok) throw new StartFault(loaded.lines.join('\n'));
  const observability = createObservability(environment.logLevel, loaded.config);
  const { logger } = observability;
  if (env['TOOLGATE_REDIS_URL'] !== undefined && env['TOOLGATE_REDIS_URL'] !== '') {
    logger.warn('TOOLGATE_REDIS_URL is set, but this version keeps its state in memory');
  }
  const gateway = new Gateway(loaded.config, observability.gatewayOptions);
  refuseOpenDoor(gateway, environment);
  observability.attach(gateway);
  await gateway.start();
  const app = await buildApp({
    gateway,
    logger,
    metrics: observability.metrics,
    allowAnonymous: environment.allowAnonymous,
    onInternalError: observability.gatewayOptions.onInternalError,
    ...(environment.adminKey !== undefined && { adminKey: environment.adminKey }),
  });
  const url = await listen(app, environment);
  greet(url, opened.demo !== undefined);
  logger.info({ event: 'listening' }, `listening on ${url}`);
  closeWithGrace(
    { delay: loaded.config.server.drainTimeoutMs + EXIT_MARGIN_MS, logger: false },
    async ({ signal, err }) => {
      if (err !== undefined) observability.gatewayOptions.onInternalError(err, 'process');
      else logger.info({ event: 'draining' }, `${signal ?? 'close'}: draining`);
      await drain(app, gateway);
      opened.demo?.close();
    },
  );
}

function greet(url: string, demo: boolean): void {
  const lines = [`Toolgate answers on ${url}`];
  if (demo) {
    lines.push(
      'These are the demo tools. Try:',
      '',
      `  curl -s ${url}/v1/tool-calls -H 'content-type: application/json' \\`,
      `    -d '{"calls":[{"tool":"demo.weather","arguments":{"city":"Oslo"}},{"tool":"demo.limited"}]}'`,
      '',
      `Try it in a browser: ${url}/docs`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}
