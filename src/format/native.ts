// The gateway's own envelope: `{calls: [...], deadline_ms, run_id, return_order}`. This is the hot
// path, so a call that is in order costs one object. Nothing that is not understood is ignored: an
// unknown field of a call is that call's fault, one of the envelope is the whole request's.
import type { JsonObject, ToolCall } from '../call.js';
import type { JsonFault } from '../json/parse.js';
import { readArguments, RejectedArguments } from './arguments.js';
import {
  isPositiveInteger,
  isPrintableKey,
  MUST_BE_KEY,
  MUST_BE_MS,
  optionsFromQuery,
  takeOption,
} from './batch-options.js';
import { unknownField } from './nearest.js';
import {
  addFault,
  envelopeFault,
  faultList,
  hasFaults,
  pointerTo,
  type Problem,
} from './pointers.js';
import { isObject } from '../json/object.js';
import type { EnvelopeFault, ParseOptions, ReadEnvelope } from './wire-format.js';

const ENVELOPE_FIELDS = ['calls', 'deadline_ms', 'run_id', 'return_order'];
const CALL_FIELDS = ['id', 'tool', 'arguments', 'timeout_ms', 'idempotency_key', 'depends_on'];
const MAX_ID_CHARS = 256;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Faults = Record<string, string>;

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Reads one field of a call into its draft; returns what was expected instead, if it is wrong. */
function takeField(call: Mutable<ToolCall>, name: string, value: unknown): Problem | undefined {
  switch (name) {
    case 'tool':
      if (typeof value !== 'string') return 'must be a string';
      call.tool = value;
      return undefined;
    case 'id':
      if (value === null) return undefined;
      if (typeof value !== 'string' || value === '') return 'must be a non-empty string';
      call.id = value;
      return value.length > MAX_ID_CHARS
        ? `must have at most ${MAX_ID_CHARS} characters`
        : undefined;
    case 'arguments': {
      const read = readArguments(value);
      if (read instanceof RejectedArguments) {
        call.arguments = value;
        call.argumentFaults = read.faults;
      } else call.arguments = read;
      return undefined;
    }
    case 'timeout_ms':
      if (value === null) return undefined;
      if (!isPositiveInteger(value)) return MUST_BE_MS;
      call.timeoutMs = value;
      return undefined;
    case 'idempotency_key':
      if (value === null) return undefined;
      if (!isPrintableKey(value)) return MUST_BE_KEY;
      call.idempotencyKey = value;
      return undefined;
    case 'depends_on':
      if (value === null) return undefined;
      if (!isStringList(value)) return 'must be an array of call ids';
      if (value.length > 0) call.dependsOn = value;
      return undefined;
    default:
      return unknownField(name, CALL_FIELDS);
  }
}

function readCall(raw: unknown, index: number): ToolCall {
  const call: Mutable<ToolCall> = { id: '', tool: '', arguments: undefined };
  if (!isObject(raw)) {
    call.id = `call_${index + 1}`;
    call.faults = { '': 'must be an object with "tool" and "arguments"' };
    return call;
  }
  let faults: Faults | undefined;
  for (const name in raw) {
    const problem = takeField(call, name, raw[name]);
    if (problem !== undefined) addFault((faults ??= faultList()), pointerTo(name), problem);
  }
  if (call.id === '') call.id = `call_${index + 1}`;
  if (call.arguments === undefined) call.arguments = {};
  if (raw['tool'] === undefined) addFault((faults ??= faultList()), '/tool', 'is required');
  if (faults !== undefined) call.faults = faults;
  return call;
}

/** Hands each fault of the JSON itself to the arguments, the call or the envelope it stands in. */
function attribute(found: readonly JsonFault[], calls: ToolCall[], faults: Faults): void {
  for (const { pointer, problem } of found) {
    const [, index, rest] = /^\/calls\/(\d+)(.*)$/s.exec(pointer) ?? [];
    const call = calls[Number(index)];
    if (call === undefined || rest === undefined) {
      addFault(faults, pointer, problem);
      continue;
    }
    const inArguments = rest === '/arguments' || rest.startsWith('/arguments/');
    const member = inArguments ? 'argumentFaults' : 'faults';
    const known = Object.assign(faultList(), call[member]);
    addFault(known, inArguments ? rest.slice('/arguments'.length) : rest, problem);
    calls[Number(index)] = { ...call, [member]: known };
  }
}

/** Reads the native envelope. A fault in one call never touches its siblings. */
export function parseNative(
  body: unknown,
  found: readonly JsonFault[],
  opts: ParseOptions,
): ReadEnvelope<'native'> | EnvelopeFault {
  if (!isObject(body)) return envelopeFault({ '': 'must be an object with "calls"' });
  const faults = faultList();
  const options = optionsFromQuery(opts.query, faults);
  const calls = readCalls(body, opts.maxBatch, faults);
  for (const name in body) {
    if (name === 'calls') continue;
    const problem = ENVELOPE_FIELDS.includes(name)
      ? takeOption(options, name, body[name])
      : unknownField(name, ENVELOPE_FIELDS);
    if (problem !== undefined) addFault(faults, pointerTo(name), problem);
  }
  if (found.length > 0) attribute(found, calls, faults);
  if (hasFaults(faults)) return envelopeFault(faults);
  return { ok: true, format: 'native', calls, options, context: undefined };
}

function readCalls(body: JsonObject, maxBatch: number, faults: Faults): ToolCall[] {
  const list = body['calls'];
  if (!Array.isArray(list)) addFault(faults, '/calls', 'must be an array of calls');
  else if (list.length === 0 || list.length > maxBatch)
    addFault(faults, '/calls', `must hold 1 to ${maxBatch} calls, has ${list.length}`);
  else return list.map(readCall);
  return [];
}
