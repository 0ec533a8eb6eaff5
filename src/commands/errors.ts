// `toolgate errors [CODE]`: the catalogue on paper.
import { catalogueEntry } from '../../routes/errors.js';
import { CATALOGUE, CATEGORIES, ERROR_CODES, type ErrorCode } from '../errors/catalogue.js';
import { StartFault } from '../environment.js';

/** Prints all codes, or all that is known of one. @throws StartFault for an unknown code. */
export function errors(code: string | undefined, options: { json: boolean }): void {
  if (code !== undefined && !Object.hasOwn(CATALOGUE, code)) {
    throw new StartFault(`there is no code "${code}"; "toolgate errors" lists them`);
  }
  const codes = code === undefined ? ERROR_CODES : [code as ErrorCode];
  process.stdout.write(
    options.json ? `${JSON.stringify(codes.map(catalogueEntry))}\n` : text(codes),
  );
}

function text(codes: readonly ErrorCode[]): string {
  const width = Math.max(...codes.map((code) => code.length));
  return codes
    .map((code) => {
      const { category, when } = CATALOGUE[code];
      const { mayRetry, callerAction } = CATEGORIES[category];
      const line = `${code.padEnd(width)}  ${category.padEnd(13)}  ${when}`;
      if (codes.length > 1) return `${line}\n`;
      return `${line}\n  may be retried: ${mayRetry ? 'where the cause is transient and repeating is safe' : 'never'}\n  what to do: ${callerAction}\n`;
    })
    .join('');
}
