// Reads request bodies as text and parses them ourselves: duplicate keys, prototype keys, numbers
// that would change their value and lone surrogates are found with their place, not swallowed.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type JsonFault, parseJson } from '../json/parse.js';
import { Problem } from './problem.js';

/** A parsed body; `faults` name places that no one should act on. */
export interface ParsedBody {
  readonly value: unknown;
  readonly faults: readonly JsonFault[];
  /** Whether `$from` may stand anywhere in its text, which is not kept. */
  readonly mayReference: boolean;
}

const BYTE_ORDER_MARK = 0xfeff;

/** Bytes that are not UTF-8 are refused, not replaced. (A fatal TextDecoder costs ten times this.) */
function decode(body: Buffer): string {
  if (!isUtf8(body)) throw badRequest('The request body is not valid UTF-8.');
  const text = body.toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

const badRequest = (detail: string, details?: Record<string, unknown>): Problem =>
  new Problem({
    status: 400,
    code: 'PARSER_ERROR',
    title: 'Bad Request',
    detail,
    ...(details !== undefined && { details }),
  });

/** Its letters may be escaped, too; that a text has others that are costs a walk over the calls. */
function mayReference(text: string): boolean {
  return text.includes('$from') || text.includes('\\u00');
}

function readText(body: Buffer): ParsedBody {
  const text = decode(body);
  return { value: text, faults: [], mayReference: mayReference(text) };
}

/** Undefined for an empty body: clients declare JSON where a route takes no body at all. */
function parseBody(body: Buffer): ParsedBody | undefined {
  if (body.length === 0) return undefined;
  const text = decode(body);
  const parsed = parseJson(text);
  if (parsed.ok) {
    return { value: parsed.value, faults: parsed.faults, mayReference: mayReference(text) };
  }
  const { message, line, column, offset } = parsed;
  throw badRequest(`The request body is not valid JSON: ${message}.`, {
    line,
    column,
    offset,
  });
}

type Done = (error: Error | null, body?: ParsedBody) => void;

/** A body that was compressed would be read as if it were not. */
function refuseEncoded({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || /^\s*(identity\s*)?$/i.test(encoding)) return;
  throw new Problem({
    status: 415,
    code: 'PARSER_INVALID_FORMAT',
    title: 'Unsupported Media Type',
    detail: 'The request body must not be compressed: Content-Encoding may only be identity.',
    headers: { 'accept-encoding': 'identity' },
  });
}

/** A content type parser of Fastify's that throws nothing. */
function parsed(read: (body: Buffer) => ParsedBody | undefined) {
  return (request: FastifyRequest, body: Buffer, done: Done): void => {
    try {
      refuseEncoded(request);
      done(null, read(body));
    } catch (error) {
      done(error as Problem);
    }
  };
}

export const bodyPlugin = fp(
  (app: FastifyInstance, _options, done) => {
    app.removeAllContentTypeParsers();
    app.addHook('preValidation', (request, _reply, next) => {
      const isMissing =
        request.body === undefined && request.routeOptions.schema?.body !== undefined;
      next(isMissing ? badRequest('The request body is empty; JSON was expected.') : undefined);
    });
    app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, parsed(parseBody));
    app.addContentTypeParser<Buffer>(
      ['text/plain', 'application/xml', 'text/xml'],
      { parseAs: 'buffer' },
      parsed(readText),
    );
    done();
  },
  { name: 'body', dependencies: ['problem'] },
);
