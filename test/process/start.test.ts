// What a start loads: the packages of features that a configuration may never use stay on the disk
// until somebody uses them. They made up a third of its time and memory.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Prints the packages whose code runs until the demo is ready to listen. */
const SCRIPT = `
import { Session } from 'node:inspector';
const session = new Session();
session.connect();
const packages = new Set();
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  const [, name] = /.*node_modules[/]((?:@[^/]+[/])?[^/]+)/.exec(url) ?? [];
  if (name !== undefined) packages.add(name);
});
session.post('Debugger.enable');
await import('./dist/src/commands/serve.js');
const { buildApp } = await import('./dist/src/app.js');
const { DEMO_CONFIG, readConfiguration } = await import('./dist/src/configuration.js');
const { Gateway } = await import('./dist/src/gateway/gateway.js');
const { createObservability } = await import('./dist/src/observability.js');
const { config } = await readConfiguration(DEMO_CONFIG, {});
const { gatewayOptions } = await createObservability('info', config, {});
const gateway = new Gateway(config, gatewayOptions);
await gateway.start();
await (await buildApp({ gateway })).ready();
console.log(JSON.stringify([...packages]));
process.exit(0);
`;

it('does not load what only MCP, tracing, the docs page or typed schemas need', () => {
  const args = ['--input-type=module', '--eval', SCRIPT];
  const output = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const packages = JSON.parse(output) as string[];
  expect(packages).toContain('fastify');
  const heavy =
    /^(typebox|zod|glob|@modelcontextprotocol\/.*|@opentelemetry\/sdk-.*|@fastify\/(swagger|swagger-ui|static|ajv-compiler|fast-json-stringify-compiler))$/;
  expect(packages.filter((name) => heavy.test(name))).toEqual([]);
});
