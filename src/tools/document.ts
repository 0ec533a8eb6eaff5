// The text of a configuration file as a YAML document (JSON is a subset) that knows where everything
// stands. Reading is bounded: size, nesting, aliases.
import { Composer, Lexer, LineCounter, Parser, type YAMLError } from 'yaml';
import { position, SourceDocument, type YamlDocument } from './source-document.js';

/** Levels of nesting in a configuration file. */
export const MAX_DEPTH = 64;

/** Constructions open at a time in the parser; a level takes at most three. */
const MAX_PARSER_STACK = 3 * MAX_DEPTH + 16;

/** Of a text that is no YAML at all, more would not help. */
const MAX_PROBLEMS = 20;

export interface ReadProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly expected: string;
}

class TooDeep extends Error {}

/** The parser itself is iterative, what follows it is not: nesting is bounded here. */
function* boundedTokens(parser: Parser, text: string): ReturnType<Parser['parse']> {
  for (const lexeme of new Lexer().lex(text)) {
    if (parser.stack.length > MAX_PARSER_STACK) throw new TooDeep();
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

/** All line starts, from the text itself: the lexer misses some (behind an alias such as `*a:`). */
function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines.addNewLine(at + 1);
  }
  return lines;
}

/** Parses the text; syntax problems come back all at once. */
export function readDocument(
  text: string,
): { document: SourceDocument } | { problems: ReadProblem[] } {
  const lines = countLines(text);
  const parser = new Parser();
  const composer = new Composer({
    lineCounter: lines,
    stringKeys: true,
    merge: true,
    resolveKnownTags: false,
    logLevel: 'silent',
  });
  const at = (offset: number) => position(lines, offset);
  const problems: ReadProblem[] = [];
  let first: YamlDocument | undefined;
  try {
    for (const document of composer.compose(boundedTokens(parser, text), true, text.length)) {
      if (first === undefined) first = document;
      else {
        const start = document.contents?.range[0] ?? document.range[0];
        problems.push({ ...at(start), message: 'is a second document', expected: 'one document' });
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    const expected = `at most ${MAX_DEPTH} levels`;
    return { problems: [{ ...at(parser.offset), message: 'is nested too deeply', expected }] };
  }
  for (const error of [...(first?.errors ?? []), ...(first?.warnings ?? [])]) {
    problems.push({
      ...at(error.pos[0]),
      message: explain(error),
      expected: 'valid YAML or JSON',
    });
  }
  if (first === undefined || problems.length > 0) return { problems: inOrder(problems) };
  return { document: new SourceDocument(first, lines) };
}

/** In the order of the text, one a place; the library notices some twice. */
function inOrder(problems: readonly ReadProblem[]): ReadProblem[] {
  const places = new Map<string, ReadProblem>();
  for (const problem of problems.toSorted((a, b) => a.line - b.line || a.column - b.column)) {
    const place = `${problem.line}:${problem.column}`;
    if (!places.has(place)) places.set(place, problem);
  }
  return [...places.values()].slice(0, MAX_PROBLEMS);
}

const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key stands here twice',
  NON_STRING_KEY: 'a key must be a text',
  TAG_RESOLVE_FAILED: 'tags (!…) are not supported',
};

/** The library's words, without what it quotes of the text. */
function explain({ code, message }: YAMLError): string {
  const sentence = message.split('\n')[0] ?? message;
  return WORDS[code] ?? sentence.charAt(0).toLowerCase() + sentence.slice(1, 160);
}
