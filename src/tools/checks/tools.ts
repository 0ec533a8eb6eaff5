// `tools:`: names of their own, one upstream each, parts that go together.
import { resolve } from 'node:path';
import type { JsonObject } from '../../call.js';
import { buildAliases } from '../aliases.js';
import type { ConfigPath } from '../faults.js';
import {
  checkExactlyOne,
  checkUnique,
  type CheckContext,
  items,
  members,
  textOf,
} from './context.js';
import { checkErrorRules } from './error-rules.js';
import { isFile } from './files.js';
import { checkHeaderName } from './headers.js';
import { checkHttp, readsOnly } from './http.js';
import { argumentNames } from './placeholders.js';
import { checkInputSchema, checkJsonSchema } from './schemas.js';
import { checkVerify } from './verify.js';

export function checkTools(context: CheckContext, root: JsonObject): void {
  const tools = items(root['tools']).map(members);
  checkNames(context, tools);
  tools.forEach((tool, index) => {
    const path = ['tools', index];
    checkTool(context, path, tool);
    if (tool['verify'] !== undefined) checkVerify(context, [...path, 'verify'], tool, root);
  });
}

function checkNames(context: CheckContext, tools: readonly JsonObject[]): void {
  const names = tools.map(
    (tool, index) => [['tools', index, 'name'], textOf(tool['name'])] as const,
  );
  checkUnique(context, names, 'name');
  const { collisions } = buildAliases(names.flatMap(([, name]) => name ?? []));
  for (const { alias, names: pair } of collisions) {
    const path = names.find(([, name]) => name === pair[1])?.[0] ?? ['tools'];
    const message = `would be called ${alias} by model providers, like ${pair[0]}`;
    context.fault(path, message, 'a name that differs in more than "." and "__"');
  }
}

function checkTool(context: CheckContext, path: ConfigPath, tool: JsonObject): void {
  checkExactlyOne(context, path, tool, ['http', 'module']);
  checkInputSchema(context, [...path, 'input_schema'], tool['input_schema']);
  checkJsonSchema(context, [...path, 'output_schema'], tool['output_schema']);
  const known = argumentNames(tool['input_schema']);
  checkHttp(context, [...path, 'http'], members(tool['http']), known);
  checkModule(context, [...path, 'module'], tool['module']);
  checkErrorRules(context, [...path, 'errors'], tool['errors'], tool['module'] !== undefined);
  checkIdempotency(context, [...path, 'idempotency'], tool['idempotency']);
  if (tool['cache'] !== undefined && !readsOnly(tool)) {
    const expected = 'read_only: true, or method GET or HEAD';
    context.fault([...path, 'cache'], 'only a tool that only reads may be cached', expected, 'key');
  }
  if (tool['input_schema'] === undefined)
    context.warn(path, 'has no input_schema: callers are not told its arguments');
}

function checkModule(context: CheckContext, path: ConfigPath, value: unknown): void {
  const file = textOf(value);
  if (file === undefined || file === '') return;
  if (!isFile(resolve(context.directory, file)))
    context.fault(path, 'there is no such file', 'a file, its path from the configuration file');
}

export function checkIdempotency(context: CheckContext, path: ConfigPath, value: unknown): void {
  const header = textOf(members(value)['header']);
  if (header !== undefined) checkHeaderName(context, [...path, 'header'], header, 'value');
}
