// `toolgate check FILE`: every fault of a configuration, without starting anything.
import { faultLines, readConfiguration } from '../configuration.js';
import { StartFault } from '../environment.js';

/** Prints what was found. With `json`, faults too go to standard output, and exit code 2 says so. */
export async function check(
  file: string,
  env: NodeJS.ProcessEnv,
  options: { json: boolean },
): Promise<void> {
  const loaded = await readConfiguration(file, env);
  if (!loaded.ok) {
    if (!options.json) throw new StartFault(faultLines(loaded.faults));
    process.stdout.write(`${JSON.stringify({ ok: false, faults: loaded.faults })}\n`);
    process.exitCode = 2;
    return;
  }
  const { config, warnings } = loaded;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ ok: true, tools: config.tools.length, warnings })}\n`);
    return;
  }
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  process.stdout.write(
    `${file}: ok (${config.tools.length} tools, ${config.mcpServers.length} MCP servers, ${config.clients.length} clients)\n`,
  );
}
