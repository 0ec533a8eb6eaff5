// A call that a service refused for its rate, as the tables of services expect it.
import { answer, fails, type Headers, POST, type Row, row, type Wait } from './table.js';

/** It refused before it ran: even what must not run twice may come again. */
export const limited = (
  name: string,
  status: number,
  headers: Headers | (() => Headers),
  body: string | object,
  retry: Wait,
): Row =>
  row(
    name,
    POST,
    answer(status, headers, body),
    fails('TOOL_RATE_LIMITED', true, 'completed', {
      retry,
      breaker: 'neutral',
      details: { upstream_status: status, classified_by: 'status', transient: true },
    }),
  );
