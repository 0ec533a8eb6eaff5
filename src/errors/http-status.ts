// What an HTTP status means by itself: taxonomy.md "HTTP status", row by row. The rows that need
// more than the status (headers, machine codes) stand in `REFINED_ROWS` and are chosen by
// `http-response.ts`.
import type { Effect } from './error-info.js';
import { row, type Cells, type EvidenceRow } from './evidence-row.js';

/** One row. */
export interface StatusRow extends EvidenceRow {
  /** Whether the answer may carry a wait worth reading. */
  readonly hint: boolean;
  readonly refusedBeforeExecution: boolean;
  readonly onceOnly: boolean;
  /** Its wait closes the cooldown gate. */
  readonly cooldown: boolean;
}

type Mark = 'refused' | 'once' | 'cooldown';
type StatusCells = readonly [...Cells<Effect>, hint: 'H' | '-', marks?: readonly Mark[]];

// prettier-ignore
const ROWS: readonly (readonly [statuses: readonly number[], ...line: StatusCells])[] = [
  // statuses                                       code                      transient effect  breaker hint
  [[400, 411, 413, 414, 415, 416, 417, 422, 431], 'UPSTREAM_INVALID_REQUEST', 'no',  'completed', 'S', '-'],
  [[401, 407],                                    'UPSTREAM_AUTH_FAILED',     'no',  'completed', 'N', '-'],
  [[402],                                         'UPSTREAM_REJECTED',        'no',  'completed', 'S', '-'],
  [[403],                                         'UPSTREAM_FORBIDDEN',       'no',  'completed', 'N', '-'],
  [[404, 410],                                    'UPSTREAM_REJECTED',        'no',  'completed', 'S', '-'],
  [[406, 426, 428],                               'UPSTREAM_REJECTED',        'no',  'completed', 'N', '-'],
  [[405, 501, 505, 506, 510],                     'CONFIGURATION_ERROR',      'no',  'completed', 'N', '-'],
  [[408],                                         'TOOL_TIMEOUT',             'yes', 'unknown',   'F', 'H'],
  [[409, 412, 423, 424],                          'UPSTREAM_REJECTED',        'no',  'completed', 'S', '-'],
  [[421],                                         'UPSTREAM_REJECTED',        'yes', 'not_sent',  'N', '-', ['refused', 'once']],
  [[425],                                         'UPSTREAM_UNAVAILABLE',     'yes', 'not_sent',  'N', 'H', ['refused']],
  [[429],                                         'TOOL_RATE_LIMITED',        'yes', 'completed', 'N', 'H', ['refused', 'cooldown']],
  [[444, 499],                                    'TOOL_TRANSPORT_ERROR',     'yes', 'unknown',   'F', '-'],
  [[500],                                         'UPSTREAM_SERVER_ERROR',    'yes', 'unknown',   'F', 'H'],
  [[502, 520, 522],                               'UPSTREAM_UNAVAILABLE',     'yes', 'unknown',   'F', 'H'],
  [[503, 529, 530],                               'UPSTREAM_UNAVAILABLE',     'yes', 'unknown',   'F', 'H', ['cooldown']],
  [[504, 524, 598, 599],                          'TOOL_TIMEOUT',             'yes', 'unknown',   'F', 'H'],
  [[507, 508],                                    'UPSTREAM_REJECTED',        'no',  'unknown',   'F', '-'],
  [[511],                                         'CONFIGURATION_ERROR',      'no',  'not_sent',  'F', '-'],
  [[521, 523, 525],                               'UPSTREAM_UNAVAILABLE',     'yes', 'unknown',   'F', 'H'],
  [[526],                                         'CONFIGURATION_ERROR',      'no',  'not_sent',  'N', '-'],
];

/** Statuses that no row names, by class. */
// prettier-ignore
const CLASS_ROWS = {
  '2xx': cells(['TOOL_EXECUTION_FAILED',   'no',  'completed', 'S', '-']), // the declared predicate failed
  '3xx': cells(['UPSTREAM_REJECTED',       'no',  'completed', 'S', '-']),
  '4xx': cells(['UPSTREAM_REJECTED',       'no',  'completed', 'S', '-']),
  '5xx': cells(['UPSTREAM_SERVER_ERROR',   'yes', 'unknown',   'F', 'H']),
  none:  cells(['UNMAPPED_FAILURE',        'no',  'unknown',   'N', '-']), // 1xx, 999, 0: no status at all
} as const satisfies Record<string, StatusRow>;

/** Rows that need more evidence than the status. */
// prettier-ignore
export const REFINED_ROWS = {
  rateLimited:           cells(['TOOL_RATE_LIMITED',        'yes', 'completed', 'N', 'H', ['refused', 'cooldown']]),
  rateLimitedInPart:     cells(['TOOL_RATE_LIMITED',        'yes', 'unknown',   'N', 'H', ['cooldown']]),
  quotaExhausted:        cells(['UPSTREAM_QUOTA_EXHAUSTED', 'no',  'completed', 'N', '-']),
  billingOn402:          cells(['UPSTREAM_QUOTA_EXHAUSTED', 'no',  'completed', 'S', '-']),
  credentialInBody:      cells(['UPSTREAM_AUTH_FAILED',     'no',  'completed', 'N', '-']),
  forbiddenInBody:       cells(['UPSTREAM_FORBIDDEN',       'no',  'completed', 'N', '-']),
  timedOutInBody:        cells(['TOOL_TIMEOUT',             'yes', 'unknown',   'F', 'H']),
  invalidInBody:         cells(['UPSTREAM_INVALID_REQUEST', 'no',  'completed', 'S', '-']),
  ownKeyInFlight:        cells(['UPSTREAM_REJECTED',        'yes', 'completed', 'S', 'H']),
  trusted503:            cells(['UPSTREAM_UNAVAILABLE',     'yes', 'completed', 'F', 'H', ['refused', 'cooldown']]),
  cloudflareNeverSent:   cells(['UPSTREAM_UNAVAILABLE',     'yes', 'not_sent',  'F', 'H']),
  mcpCredential:         cells(['UPSTREAM_AUTH_FAILED',     'no',  'not_sent',  'N', '-']),
} as const satisfies Record<string, StatusRow>;

const BY_STATUS: ReadonlyMap<number, StatusRow> = new Map(
  ROWS.flatMap(([statuses, ...line]) => statuses.map((status) => [status, cells(line)])),
);

/** The row of a status by itself. Total: any number has one. */
export function statusRow(status: number): StatusRow {
  const listed = BY_STATUS.get(status);
  if (listed !== undefined) return listed;
  if (status >= 200 && status < 300) return CLASS_ROWS['2xx'];
  if (status >= 300 && status < 400) return CLASS_ROWS['3xx'];
  if (status >= 400 && status < 500) return CLASS_ROWS['4xx'];
  if (status >= 500 && status < 600) return CLASS_ROWS['5xx'];
  return CLASS_ROWS.none;
}

function cells([code, transient, effect, breaker, hint, marks = []]: StatusCells): StatusRow {
  return {
    ...row([code, transient, effect, breaker]),
    hint: hint === 'H',
    refusedBeforeExecution: marks.includes('refused'),
    onceOnly: marks.includes('once'),
    cooldown: marks.includes('cooldown'),
  };
}
