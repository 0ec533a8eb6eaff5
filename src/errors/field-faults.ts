// Which fields of a request an upstream found wrong, where its body lists them: the one thing that lets
// a caller mend the arguments.
import { asArray, dig, stringAt } from './json-fields.js';

const MAX_FIELDS = 8;

/** The upstream's text with the faults that its body lists; either may be missing. */
export function withFieldFaults(text: string | undefined, body: unknown): string | undefined {
  const faults = [...locatedFaults(body), ...mappedFaults(body)].slice(0, MAX_FIELDS);
  if (faults.length === 0) return text;
  return text === undefined ? faults.join('; ') : `${text} (${faults.join('; ')})`;
}

/** `{detail: [{loc: ["body", "city"], msg}]}`: FastAPI. */
function locatedFaults(body: unknown): readonly string[] {
  return asArray(dig(body, ['detail'])).flatMap((entry) => {
    const text = stringAt(entry, 'msg');
    const place = asArray(dig(entry, ['loc'])).filter(
      (part) => typeof part === 'string' || typeof part === 'number',
    );
    if (text === undefined) return [];
    return [place.length === 0 ? text : `${place.join('.')}: ${text}`];
  });
}

/** `{errors: {city: ["is unknown"]}}`: Rails, Laravel, ASP.NET, Shopify. */
function mappedFaults(body: unknown): readonly string[] {
  const errors = dig(body, ['errors']);
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors)) return [];
  return Object.entries(errors)
    .slice(0, MAX_FIELDS)
    .flatMap(([field, said]) => {
      const texts = (typeof said === 'string' ? [said] : asArray(said)).filter(
        (text) => typeof text === 'string',
      );
      return texts.length === 0 ? [] : [`${field}: ${texts.join(', ')}`];
    });
}
