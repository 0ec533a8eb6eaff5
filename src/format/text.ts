// Free text of a model that writes its calls as JSON: fenced or bare, one or several, amid prose.
// Answers are plain text.
import { parseJson } from '../json/parse.js';
import { brokenCallName, callsIn } from './call-shape.js';
import { faultsBelow } from './find-calls.js';
import { JsonScanner } from './json-in-text.js';
import type { JsonPiece } from './json-in-text.js';
import { modelContent, sentenceAndText } from './model-content.js';
import { neutralise } from './neutralise.js';
import { isObject } from '../json/object.js';
import type { Answer, FormatFault, FoundCall, RenderOptions, WireFormat } from './wire-format.js';

const MAX_LABEL_CHARS = 64;

/** The text of a body: the body itself or its `text`. */
export function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body;
  return isObject(body) && typeof body['text'] === 'string' ? body['text'] : undefined;
}

/** The answer to one call as plain text. */
export function renderText({ result, name }: Answer, options: RenderOptions): string {
  const tool = name === '' ? result.tool : name;
  const label = neutralise(`${tool} (${result.id})`).text.slice(0, MAX_LABEL_CHARS);
  return `Result of ${label}:\n${sentenceAndText(modelContent(result, options))}`;
}

/** A fault that says where a text stops being JSON. */
function unparsable(piece: JsonPiece): FormatFault {
  const parsed = parseJson(piece.text);
  const why = parsed.ok ? '' : `: ${parsed.message}`;
  return {
    code: 'PARSER_ERROR',
    message: `The JSON at character ${piece.start + 1} of the text does not parse${why}.`,
  };
}

function fromPiece(piece: JsonPiece): FoundCall[] | undefined {
  const parsed = parseJson(piece.text);
  if (!parsed.ok) return undefined;
  return callsIn(parsed.value).map(({ at, argumentsAt, id, name, args, faults }) => {
    const callFaults = faultsBelow(faults, at, parsed.faults, argumentsAt);
    const argumentFaults = faultsBelow(undefined, argumentsAt, parsed.faults);
    return {
      id,
      name,
      args,
      ...(callFaults && { faults: callFaults }),
      ...(argumentFaults && { argumentFaults }),
    };
  });
}

function findCalls(text: string): readonly FoundCall[] | FormatFault {
  const scanner = new JsonScanner(text);
  const calls: FoundCall[] = [];
  let broken: JsonPiece | undefined;
  for (let piece = scanner.next(); piece !== undefined; piece = scanner.next()) {
    const found = fromPiece(piece);
    if (found !== undefined) {
      calls.push(...found);
      continue;
    }
    const name = brokenCallName(piece.text);
    // Reading the piece as arguments says where it breaks. What is inside a call is never a call.
    if (name !== undefined) calls.push({ id: undefined, name, args: piece.text });
    else {
      broken ??= piece;
      if (piece.cutOff || piece.text.startsWith('[')) scanner.descend(piece);
    }
  }
  return calls.length === 0 && broken !== undefined ? unparsable(broken) : calls;
}

export const text = {
  name: 'text',

  detect(body) {
    return textOf(body) !== undefined;
  },

  parse(body) {
    return findCalls(textOf(body) ?? '');
  },

  render(answers, options) {
    return answers.map((answer) => renderText(answer, options));
  },
} as const satisfies WireFormat;
