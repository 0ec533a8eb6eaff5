// `clients:`: each has an id and a key of its own, and patterns that can match a tool.
import type { ConfigPath } from '../faults.js';
import { admitsAnything } from '../permissions.js';
import { checkUnique, type CheckContext, items, members, textOf } from './context.js';

export function checkClients(context: CheckContext, clients: unknown): void {
  const list = items(clients).map(members);
  const texts = (key: string) =>
    list.map((client, index) => [['clients', index, key], textOf(client[key])] as const);
  checkUnique(context, texts('id'), 'id');
  const keys = texts('key_sha256').map(([path, key]) => [path, key?.toLowerCase()] as const);
  checkUnique(context, keys, 'key');
  list.forEach((client, index) => {
    checkPatterns(context, ['clients', index, 'tools'], client['tools']);
  });
}

/** Patterns over tool names, of a client or an MCP server. */
export function checkPatterns(context: CheckContext, path: ConfigPath, patterns: unknown): void {
  const texts = items(patterns).filter((pattern) => typeof pattern === 'string');
  texts.forEach((pattern, index) => {
    if (!/^!?[A-Za-z0-9_.*?-]+$/.test(pattern)) {
      const expected = 'letters, digits, "_", ".", "-", with "*" and "?", "!" in front to exclude';
      context.fault([...path, index], 'can match no tool name', expected);
    }
  });
  if (Array.isArray(patterns) && !admitsAnything(texts))
    context.warn(path, 'lets no tool through: the list only excludes; put "*" first');
}
