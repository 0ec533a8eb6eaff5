// `toolgate check FILE`: every fault of a configuration, without starting anything.
import { DEMO_CONFIG, faultLines, readConfiguration } from '../configuration.js';
import { StartFault } from '../environment.js';

/** Prints what was found. @throws StartFault with one line per fault. */
export async function check(
  file: string,
  env: NodeJS.ProcessEnv,
  options: { json: boolean },
): Promise<void> {
  // The demo's upstream gets its address when it starts; any will do to check the file.
  const loaded = await readConfiguration(file, { TOOLGATE_DEMO_URL: 'http://127.0.0.1:1', ...env });
  if (!loaded.ok) throw new StartFault(faultLines(loaded.faults));
  const { config, warnings } = loaded;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ok: true, tools: config.tools.length, warnings })}\n`);
    return;
  }
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  const name = file === DEMO_CONFIG ? 'toolgate.yaml' : file;
  process.stdout.write(
    `${name}: ok (${config.tools.length} tools, ${config.mcpServers.length} MCP servers, ${config.clients.length} clients)\n`,
  );
}
