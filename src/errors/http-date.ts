// The three date forms of HTTP (RFC 9110 §5.6.7). `Date.parse` would take far more ("120" is a
// year to it), so they are read strictly.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const TIME = String.raw`(\d{2}):(\d{2}):(\d{2})`;

/** `Sun, 06 Nov 1994 08:49:37 GMT` */
const IMF_FIXDATE = new RegExp(`^[a-z]{3}, (\\d{2}) ([a-z]{3}) (\\d{4}) ${TIME} (?:gmt|utc)$`, 'i');
/** `Sunday, 06-Nov-94 08:49:37 GMT` */
const RFC_850 = new RegExp(`^[a-z]{6,9}, (\\d{2})-([a-z]{3})-(\\d{2}) ${TIME} (?:gmt|utc)$`, 'i');
/** `Sun Nov  6 08:49:37 1994` */
const ASCTIME = new RegExp(`^[a-z]{3} ([a-z]{3}) ([ \\d]\\d) ${TIME} (\\d{4})$`, 'i');

/** Epoch milliseconds of an HTTP-date, undefined where the text is none. */
export function parseHttpDate(text: string): number | undefined {
  if (text.length > 64) return undefined;
  const date = text.trim();
  const imf = IMF_FIXDATE.exec(date);
  if (imf) return toEpochMs(imf[3], imf[2], imf[1], imf[4], imf[5], imf[6]);
  const rfc850 = RFC_850.exec(date);
  if (rfc850)
    return toEpochMs(fullYear(rfc850[3]), rfc850[2], rfc850[1], rfc850[4], rfc850[5], rfc850[6]);
  const asctime = ASCTIME.exec(date);
  if (asctime)
    return toEpochMs(asctime[6], asctime[1], asctime[2], asctime[3], asctime[4], asctime[5]);
  return undefined;
}

/** Two digits mean the past where they would lie more than 50 years ahead (RFC 9110 §5.6.7). */
function fullYear(twoDigits: string | undefined): string {
  const thisYear = new Date().getUTCFullYear();
  const year = Math.trunc(thisYear / 100) * 100 + Number(twoDigits);
  return String(year > thisYear + 50 ? year - 100 : year);
}

function toEpochMs(
  year: string | undefined,
  monthName: string | undefined,
  day: string | undefined,
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
): number | undefined {
  const month = MONTHS.indexOf((monthName ?? '').toLowerCase());
  const parts = [day, hour, minute, second].map(Number) as [number, number, number, number];
  const [d, h, m, s] = parts;
  if (month < 0 || h > 23 || m > 59 || s > 60) return undefined;
  const at = Date.UTC(Number(year), month, d, h, m, s);
  // 31 Feb would roll over into March.
  return new Date(Date.UTC(Number(year), month, d)).getUTCDate() === d ? at : undefined;
}
