// Transport codes: taxonomy.md "Transport", row by row. Codes of one row mean the same.
import type { ErrorCode } from './catalogue.js';
import { row, type Cells, type EffectCell, type EvidenceRow } from './evidence-row.js';

/** How an author's rule may name a group of codes. */
export type TransportFamily = 'connection' | 'timeout' | 'tls';

export interface TransportRow extends EvidenceRow<EffectCell> {
  /** The code where the attempt was still queued or connecting; the same if absent. */
  readonly whileConnecting?: ErrorCode;
  readonly families: readonly TransportFamily[];
}

type Line = readonly [
  codes: readonly string[],
  ...cells: Cells,
  families: readonly TransportFamily[],
  whileConnecting?: ErrorCode,
];

// prettier-ignore
const ROWS: readonly Line[] = [
  // codes                                                             code                     transient effect breaker families
  [['UND_ERR_CONNECT_TIMEOUT'],                                        'TOOL_CONNECTION_FAILED', 'yes', 'not_sent', 'F', ['connection', 'timeout']],
  [['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],                'TOOL_TIMEOUT',           'yes', 'unknown',  'F', ['timeout']],
  [['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ENOTCONN', 'ESHUTDOWN', 'ENETRESET',
    'ERR_STREAM_PREMATURE_CLOSE', 'ERR_SOCKET_CLOSED', 'UND_ERR_INFO'],
                                                                       'TOOL_TRANSPORT_ERROR',   'yes', 'phase',    'F', ['connection'], 'TOOL_CONNECTION_FAILED'],
  [['ETIMEDOUT', 'ESOCKETTIMEDOUT'],                                   'TOOL_TIMEOUT',           'yes', 'phase',    'F', ['connection', 'timeout'], 'TOOL_CONNECTION_FAILED'],
  [['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EADDRNOTAVAIL', 'EAI_AGAIN',
    'ESERVFAIL', 'UND_ERR_PRX_TLS', 'UND_ERR_SOCKS5'],                 'TOOL_CONNECTION_FAILED', 'yes', 'not_sent', 'F', ['connection']],
  [['ENOTFOUND', 'ENODATA', 'EAI_FAIL', 'EAI_NONAME', 'EAI_NODATA'],   'TOOL_CONNECTION_FAILED', 'no',  'not_sent', 'F', ['connection']],
  [['EPROTO', 'HOSTNAME_MISMATCH', 'INVALID_CA', 'INVALID_PURPOSE', 'CRL_HAS_EXPIRED'],
                                                                       'CONFIGURATION_ERROR',    'no',  'not_sent', 'N', ['tls']],
  [['UND_ERR_HTTP_PARSER', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'],
                                                                       'TOOL_TRANSPORT_ERROR',   'no',  'unknown',  'F', ['connection']],
  [['UND_ERR_RES_EXCEEDED_MAX_SIZE'],                                  'TOOL_RESULT_TOO_LARGE',  'no',  'completed', 'S', []],
  [['Z_DATA_ERROR', 'Z_BUF_ERROR', 'Z_NEED_DICT', 'Z_STREAM_ERROR', 'ERR_ENCODING_INVALID_ENCODED_DATA'],
                                                                       'TOOL_RESULT_ERROR',      'no',  'completed', 'S', []],
  [['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'UND_ERR_MAX_ORIGINS_REACHED'],
                                                                       'RESOURCE_EXHAUSTED',     'yes', 'not_sent', 'N', []],
  // A pool that is destroyed fails calls in flight with the same code: then nothing is known.
  [['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'],                            'RESOURCE_EXHAUSTED',     'yes', 'phase',    'N', []],
  [['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL', 'UND_ERR_NOT_SUPPORTED', 'ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN',
    'ERR_UNESCAPED_CHARACTERS', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'ERR_INVALID_PROTOCOL', 'TOOLGATE_BLOCKED_ADDRESS'],
                                                                       'CONFIGURATION_ERROR',    'no',  'not_sent', 'N', []],
];

/** Codes that are met as families of names; tried after the exact ones. */
// prettier-ignore
const PATTERNS: readonly (readonly [pattern: RegExp, likeCode: string])[] = [
  [/^UND_ERR_PRX_/,                            'UND_ERR_PRX_TLS'],
  [/^HPE_/,                                    'UND_ERR_HTTP_PARSER'],
  [/^(?:CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_)/,   'EPROTO'],
  [/SELF_SIGNED/,                              'EPROTO'],
  [/^UNABLE_TO_(?:.*CERT|VERIFY_LEAF)/,        'EPROTO'],
  [/^ERR_(?:BROTLI|ZSTD|ZLIB|_ERROR)_/,        'Z_DATA_ERROR'],
  [/^ERR_HTTP2_/,                              'ECONNRESET'],
];

/** Error names that stand in where the code is undefined (undici's HTTPParserError). */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['HTTPParserError', 'UND_ERR_HTTP_PARSER'],
  ['ConnectTimeoutError', 'UND_ERR_CONNECT_TIMEOUT'],
  ['HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT'],
  ['BodyTimeoutError', 'UND_ERR_BODY_TIMEOUT'],
  ['SocketError', 'UND_ERR_SOCKET'],
]);

const BY_CODE: ReadonlyMap<string, TransportRow> = new Map(
  ROWS.flatMap(([codes, code, transient, effect, breaker, families, whileConnecting]) => {
    const line: TransportRow = {
      ...row([code, transient, effect, breaker]),
      families,
      ...(whileConnecting !== undefined && { whileConnecting }),
    };
    return codes.map((name) => [name, line] as const);
  }),
);

/** Every code of the table; some more are known by their pattern. */
export const TRANSPORT_CODES: readonly string[] = [...BY_CODE.keys()];

/** The row of a transport code, undefined where it is none. */
export function transportRow(code: string): TransportRow | undefined {
  const exact = BY_CODE.get(code);
  if (exact !== undefined) return exact;
  const like = PATTERNS.find(([pattern]) => pattern.test(code))?.[1];
  return like === undefined ? undefined : BY_CODE.get(like);
}

/** The row of an error's name, for errors without a code. */
export function transportRowByName(name: string): TransportRow | undefined {
  const code = NAMES.get(name);
  return code === undefined ? undefined : BY_CODE.get(code);
}
