// `mcp_servers:`: one transport each, and only the keys that go with it.
import { resolve } from 'node:path';
import type { JsonObject } from '../../call.js';
import type { ConfigPath } from '../faults.js';
import { checkPatterns } from './clients.js';
import {
  checkExactlyOne,
  checkUnique,
  type CheckContext,
  items,
  members,
  textOf,
} from './context.js';
import { checkErrorRules } from './error-rules.js';
import { isFile, isFolder } from './files.js';
import { checkHeaders } from './headers.js';
import { checkPlainUrl } from './http.js';
import { checkIdempotency } from './tools.js';

/** Keys that need the other key beside them. */
const NEEDS = { headers: 'url', oauth: 'url', env: 'command', cwd: 'command' } as const;

export function checkMcpServers(context: CheckContext, servers: unknown): void {
  const list = items(servers).map(members);
  const names = list.map(
    (server, i) => [['mcp_servers', i, 'name'], textOf(server['name'])] as const,
  );
  checkUnique(context, names, 'name');
  list.forEach((server, index) => checkServer(context, ['mcp_servers', index], server));
}

function checkServer(context: CheckContext, path: ConfigPath, server: JsonObject): void {
  checkExactlyOne(context, path, server, ['url', 'command']);
  for (const [key, needed] of Object.entries(NEEDS)) {
    if (server[key] !== undefined && server[needed] === undefined)
      context.fault([...path, key], `goes only with ${needed}`, `${needed} beside it`, 'key');
  }
  checkPlainUrl(context, [...path, 'url'], server['url']);
  checkPlainUrl(context, [...path, 'oauth', 'token_url'], members(server['oauth'])['token_url']);
  checkHeaders(context, [...path, 'headers'], server['headers']);
  checkChild(context, path, server);
  checkPatterns(context, [...path, 'tools'], server['tools']);
  checkErrorRules(context, [...path, 'errors'], server['errors']);
  checkIdempotency(context, [...path, 'idempotency'], server['idempotency']);
  if (server['cache'] !== undefined && server['trusted'] !== true) {
    const message = 'nothing would be cached: whether a tool only reads is not believed';
    context.fault([...path, 'cache'], message, 'trusted: true beside it', 'key');
  }
}

/** The stdio child: where it runs, what it sees, whether a path names a file. */
function checkChild(context: CheckContext, path: ConfigPath, server: JsonObject): void {
  for (const [name, value] of Object.entries(members(server['env']))) {
    const place = [...path, 'env', name];
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      context.fault(place, 'is no name of a variable', 'letters, digits and "_"', 'key');
    if (textOf(value)?.includes('\0'))
      context.fault(place, 'has a null character', 'text without it');
  }
  const cwd = resolve(context.directory, textOf(server['cwd']) ?? '.');
  const exists = isFolder(cwd);
  if (server['cwd'] !== undefined && !exists)
    context.fault(
      [...path, 'cwd'],
      'there is no such folder',
      'a folder, its path from the configuration file',
    );
  const program = textOf(items(server['command'])[0]);
  if (program === undefined || !program.includes('/') || !exists) return;
  if (!isFile(resolve(cwd, program)))
    context.fault(
      [...path, 'command', 0],
      'there is no such file',
      'a program on PATH, or a path from cwd',
    );
}
