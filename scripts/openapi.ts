// Writes openapi/openapi.json from the routes' own schemas; `--check` only says whether it is stale.
import { readFile, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { buildApp } from '../src/app.js';
import { DEMO_CONFIG, faultLines, readConfiguration } from '../src/configuration.js';
import { Gateway } from '../src/gateway/gateway.js';
import { describeRoutes } from './openapi-document.js';

const FILE = new URL('../openapi/openapi.json', import.meta.url);

const loaded = await readConfiguration(DEMO_CONFIG, {});
if (!loaded.ok) throw new Error(faultLines(loaded.faults));
const gateway = new Gateway(loaded.config);
const app = await buildApp({
  gateway,
  adminKey: 'to have the admin routes in the document',
  describe: describeRoutes,
});
await app.ready();
const text = `${JSON.stringify(app.swagger(), null, 2)}\n`;
await app.close();
await gateway.close();

if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
} else if ((await readFile(FILE, 'utf8')) !== text) {
  process.stderr.write('openapi/openapi.json is stale: run "npm run openapi"\n');
  process.exitCode = 1;
}
