#!/usr/bin/env node
// The command line. Exit codes: 0 fine, 1 a call failed, 2 a fault of configuration or usage, 3 a
// call was declined. Each command loads its own part: help must not wait for the whole gateway.
import { Command } from 'commander';
import { StartFault } from './environment.js';
import { VERSION } from './version.js';

const EXIT_FAULT = 2;
const CONFIG_OPTION = [
  '-c, --config <file>',
  'configuration file (default: TOOLGATE_CONFIG, else the demo)',
] as const;

const program = new Command('toolgate')
  .description('HTTP tool-execution gateway for AI agents')
  .version(VERSION)
  .showHelpAfterError('(toolgate --help lists the commands)')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT_FAULT));

program
  .command('serve')
  .description('answer HTTP; without a configuration, with the demo tools')
  .option(...CONFIG_OPTION)
  .action(async (options: { config?: string }) => {
    const { serve } = await import('./commands/serve.js');
    await serve(options.config, process.env);
  });

program
  .command('check <file>')
  .description('check a configuration: one line per fault, exit code 2 if there is one')
  .option('--json', 'print JSON', false)
  .action(async (file: string, options: { json: boolean }) => {
    const { check } = await import('./commands/check.js');
    await check(file, process.env, options);
  });

program
  .command('tools')
  .description('list the tools of the configuration')
  .option(...CONFIG_OPTION)
  .option('--json', 'print JSON', false)
  .action(async (options: { config?: string; json: boolean }) => {
    const { tools } = await import('./commands/call.js');
    await tools(process.env, options);
  });

program
  .command('call <tool> [json]')
  .description(
    'call one tool; exit code 0 ok, 1 error, 2 fault of configuration or usage, 3 declined',
  )
  .option(...CONFIG_OPTION)
  .option('--json', 'print JSON, not for people', false)
  .action(
    async (tool: string, json: string | undefined, options: { config?: string; json: boolean }) => {
      const { call } = await import('./commands/call.js');
      process.exitCode = await call(tool, json ?? '{}', process.env, options);
    },
  );

program
  .command('errors [code]')
  .description('what the codes mean')
  .option('--json', 'print JSON', false)
  .action(async (code: string | undefined, options: { json: boolean }) => {
    const { errors } = await import('./commands/errors.js');
    errors(code, options);
  });

program
  .command('init [file]')
  .description('write a configuration to start from (default: toolgate.yaml)')
  .action(async (file: string | undefined) => {
    const { init } = await import('./commands/init.js');
    await init(file ?? 'toolgate.yaml');
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof StartFault)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(EXIT_FAULT);
}
