// From what a format found to calls the gateway runs: ids where none were given, aliases turned
// back, arguments read, and each fault of the JSON handed to the call it stands in.
import type { ToolCall } from '../call.js';
import type { JsonFault } from '../json/parse.js';
import { readArguments, RejectedArguments } from './arguments.js';
import { addFault, faultList } from './pointers.js';
import type { FoundCall } from './wire-format.js';

type Faults = Record<string, string>;

const NAMELESS: Readonly<Faults> = { '/name': 'must be a string' };

/** The part of `pointer` below `base`, '' for the place itself, undefined when it is elsewhere. */
function below(pointer: string, base: string | undefined): string | undefined {
  if (base === undefined || !pointer.startsWith(base)) return undefined;
  const rest = pointer.slice(base.length);
  return rest === '' || rest.startsWith('/') ? rest : undefined;
}

/** `own` faults and those of `found` that stand at or below `base`, but not below `except`. */
export function faultsBelow(
  own: Readonly<Faults> | undefined,
  base: string | undefined,
  found: readonly JsonFault[],
  except?: string,
): Faults | undefined {
  let faults: Faults | undefined = own && Object.assign(faultList(), own);
  for (const { pointer, problem } of found) {
    const rest = below(pointer, base);
    if (rest === undefined || below(pointer, except) !== undefined) continue;
    addFault((faults ??= faultList()), rest, problem);
  }
  return faults;
}

function toCall(
  found: FoundCall,
  index: number,
  jsonFaults: readonly JsonFault[],
  fromAlias: (name: string) => string,
): ToolCall {
  const read = readArguments(found.args);
  const isRead = !(read instanceof RejectedArguments);
  const readFaults = isRead ? undefined : read.faults;
  const name = typeof found.name === 'string' ? found.name : '';
  const ownFaults = name === '' ? (found.faults ?? NAMELESS) : found.faults;
  const faults = faultsBelow(ownFaults, found.at, jsonFaults, found.argumentsAt);
  const argumentFaults = faultsBelow(
    found.argumentFaults ?? readFaults,
    found.argumentsAt,
    jsonFaults,
  );
  return {
    id: typeof found.id === 'string' && found.id !== '' ? found.id : `call_${index + 1}`,
    tool: name === '' ? '' : fromAlias(name),
    arguments: isRead ? read : found.args,
    ...(faults && { faults }),
    ...(argumentFaults && { argumentFaults }),
  };
}

/** The calls of a model's message. One bad call never touches its siblings. */
export function toCalls(
  found: readonly FoundCall[],
  jsonFaults: readonly JsonFault[],
  fromAlias: (name: string) => string,
): ToolCall[] {
  return found.map((call, i) => toCall(call, i, jsonFaults, fromAlias));
}

/**
 * Faults of the JSON that no single call can be blamed for: in the gateway's own options, or in
 * what holds the calls (a list given twice). What else stands in a model's message is not ours.
 */
export function envelopeFaults(
  found: readonly FoundCall[],
  jsonFaults: readonly JsonFault[],
  into: Faults,
): void {
  for (const { pointer, problem } of jsonFaults) {
    const holdsCalls = found.some(
      ({ at }) => at !== pointer && below(at ?? '', pointer) !== undefined,
    );
    if (holdsCalls || below(pointer, '/toolgate') !== undefined) addFault(into, pointer, problem);
  }
}
