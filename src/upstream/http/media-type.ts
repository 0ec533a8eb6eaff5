// What a Content-Type header says of a body: JSON, text, nothing, or something no result can hold.

export interface MediaType {
  /** `application/json`, lower case; '' where the header is missing or unreadable. */
  readonly essence: string;
  /** Lower case; undefined where none is declared. */
  readonly charset: string | undefined;
  readonly family: 'json' | 'text' | 'unknown' | 'binary';
}

const UNKNOWN: MediaType = { essence: '', charset: undefined, family: 'unknown' };

/** RFC 9110 §8.3.1, with a bound so that it may be named in a message. */
const ESSENCE = /^\s*([a-z]{1,20}\/[a-z0-9][a-z0-9.+_-]{0,60})\s*(?:;|$)/;
const CHARSET = /;\s*charset\s*=\s*"?([a-z0-9._:-]{1,40})"?/;

const JSON_TYPE = /^(?:application|text)\/json$|\+json$/;
const TEXT_TYPE =
  /^text\/|\+(?:xml|yaml)$|^application\/(?:xml|yaml|x-yaml|javascript|x-javascript|ecmascript|x-www-form-urlencoded|x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|toml|sql|graphql|rtf)$/;
/** Types that say nothing of the content; object stores serve JSON as these. */
const OPAQUE_TYPE = /^(?:application|binary)\/octet-stream$/;

const seen = new Map<string, MediaType>();
const MAX_SEEN = 200;

/** Reads a Content-Type header. An upstream sends few different ones, so they are remembered. */
export function readMediaType(header: string | readonly string[] | undefined): MediaType {
  const text = typeof header === 'string' ? header : header?.[0];
  if (text === undefined) return UNKNOWN;
  let type = seen.get(text);
  if (type === undefined) {
    type = parse(text.toLowerCase());
    if (seen.size < MAX_SEEN) seen.set(text, type);
  }
  return type;
}

function parse(text: string): MediaType {
  const essence = ESSENCE.exec(text)?.[1];
  if (essence === undefined) return UNKNOWN;
  const charset = CHARSET.exec(text)?.[1];
  return { essence, charset, family: familyOf(essence, charset) };
}

function familyOf(essence: string, charset: string | undefined): MediaType['family'] {
  if (JSON_TYPE.test(essence)) return 'json';
  if (TEXT_TYPE.test(essence)) return 'text';
  // GitHub's `application/vnd.github.diff; charset=utf-8`, and PDFs of servers that say so always.
  if (charset !== undefined && essence.startsWith('application/')) return 'unknown';
  return OPAQUE_TYPE.test(essence) ? 'unknown' : 'binary';
}
