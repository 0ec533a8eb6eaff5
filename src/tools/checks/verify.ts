// `verify:`: the read-back is a tool that only reads, called with arguments that both tools have.
import type { JsonObject } from '../../call.js';
import type { ConfigPath } from '../faults.js';
import { showKey } from '../faults.js';
import { didYouMean } from '../similar.js';
import { type CheckContext, items, members, textOf } from './context.js';
import { checkPredicate } from './error-rules.js';
import { readsOnly } from './http.js';
import { argumentNames, checkTree } from './placeholders.js';

export function checkVerify(
  context: CheckContext,
  path: ConfigPath,
  tool: JsonObject,
  root: JsonObject,
): void {
  const verify = members(tool['verify']);
  checkTree(
    context,
    [...path, 'arguments'],
    verify['arguments'],
    argumentNames(tool['input_schema']),
  );
  if (verify['confirmed_when'] !== undefined)
    checkPredicate(context, [...path, 'confirmed_when'], verify['confirmed_when']);

  const name = textOf(verify['tool']);
  if (name === undefined || name === '') return;
  const tools = items(root['tools']).map(members);
  const readBack = tools.find((other) => other['name'] === name);
  if (readBack === undefined) {
    if (!mayComeFromServer(name, root)) faultUnknown(context, path, name, tools);
    return;
  }
  if (!readsOnly(readBack)) {
    const expected = 'a tool with read_only: true, or method GET or HEAD';
    context.fault([...path, 'tool'], `${showKey(name)} does not only read`, expected);
  }
  const known = argumentNames(readBack['input_schema']);
  for (const argument of Object.keys(members(verify['arguments']))) {
    if (known === undefined || known.includes(argument)) continue;
    const expected = `one of ${known.map(showKey).join(', ')}`;
    const place = [...path, 'arguments', argument];
    context.fault(place, `${showKey(name)} has no such argument`, expected, 'key');
  }
}

function faultUnknown(
  context: CheckContext,
  path: ConfigPath,
  name: string,
  tools: readonly JsonObject[],
): void {
  const names = tools.flatMap((tool) => textOf(tool['name']) ?? []);
  const meant = didYouMean(name, names);
  const hint = meant === undefined ? '' : `; did you mean ${showKey(meant)}?`;
  context.fault([...path, 'tool'], `there is no tool of this name${hint}`, 'the name of a tool');
}

/** Tools of MCP servers are not known before they are connected. */
function mayComeFromServer(name: string, root: JsonObject): boolean {
  return items(root['mcp_servers']).some((server) => {
    const { prefix, name: serverName } = members(server);
    return name.startsWith(textOf(prefix) ?? `${textOf(serverName) ?? ''}.`);
  });
}
