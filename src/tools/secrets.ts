// Which values of a configuration must never leave the gateway, for the scrubber: it finds them in
// every form they travel in. Whole URLs and everyday words are no secrets: to blank them would only
// make messages unreadable.
import { isObject } from '../json/object.js';
import type { ConfigDocument } from './schema/document.js';

const MIN_CHARS = 4;
/** A value of a header that does not look like a credential must be this long to count. */
const MIN_PLAIN_CHARS = 8;

const EVERYDAY = new Set(
  `auto debug default dev development disabled enabled error false info local localhost main none null prod
  production staging test trace true undefined warn warning`.split(/\s+/),
);

const EVERYDAY_HEADERS =
  /^(?:accept.*|cache-control|connection|content-.*|host|if-.*|origin|pragma|prefer|referer|user-agent|x-requested-with|.*version)$/i;

/** Names of headers, query parameters and fields that carry credentials. */
const SECRET_NAME = /token|key|secret|pass|sig|auth|credential|cookie|session/i;

const PLACEHOLDER = /\{[^{}\s]*\}/;

/** The secrets of a checked document and of the environment values that it uses. */
export function collectSecrets(
  document: ConfigDocument,
  environment: readonly { readonly value: string }[],
): string[] {
  const found = new SecretSet();
  for (const { value } of environment) found.add(value);
  for (const client of document.clients ?? []) found.add(client.key_sha256);
  for (const { http } of document.tools ?? []) {
    if (http === undefined) continue;
    found.addUrl(http.url);
    found.addHeaders(http.headers ?? {});
    found.addFields(http.query);
    found.addFields(http.body);
  }
  for (const server of document.mcp_servers ?? []) {
    if (server.url !== undefined) found.addUrl(server.url);
    found.addHeaders(server.headers ?? {});
    for (const value of Object.values(server.env ?? {})) found.add(value);
    if (server.oauth !== undefined) {
      found.add(server.oauth.client_secret);
      found.addUrl(server.oauth.token_url);
    }
  }
  return [...found.values];
}

class SecretSet {
  readonly values = new Set<string>();

  add(value: string, minChars = MIN_CHARS): void {
    const text = value.trim();
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) this.addUrl(text);
    else if (text.length >= minChars && !isEveryday(text)) this.values.add(text);
  }

  /** User, password and the parameters of a URL that look like credentials. */
  addUrl(text: string): void {
    if (!URL.canParse(text)) return;
    const url = new URL(text);
    for (const part of [url.username, url.password]) this.#addEncoded(part);
    for (const [name, value] of url.searchParams)
      if (SECRET_NAME.test(name) && !PLACEHOLDER.test(value)) this.add(value);
  }

  /** Header values, and what stands behind their scheme (`Bearer …`, `Basic …`). */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (EVERYDAY_HEADERS.test(name)) continue;
      const minChars = SECRET_NAME.test(name) ? MIN_CHARS : MIN_PLAIN_CHARS;
      for (const piece of value.split(PLACEHOLDER)) this.add(piece, minChars);
      const [, scheme, token] = /^(\S+)\s+(\S+)$/.exec(value) ?? [];
      if (token === undefined || PLACEHOLDER.test(token)) continue;
      this.add(token);
      if (scheme?.toLowerCase() === 'basic') this.#addBasic(token);
    }
  }

  /** Fixed texts under names that look like credentials. */
  addFields(value: unknown, name = ''): void {
    if (typeof value === 'string') {
      if (SECRET_NAME.test(name) && !PLACEHOLDER.test(value)) this.add(value);
    } else if (Array.isArray(value)) {
      for (const item of value) this.addFields(item, name);
    } else if (isObject(value)) {
      for (const [key, member] of Object.entries(value)) this.addFields(member, key);
    }
  }

  /** RFC 7617: base64 of `user:password`. */
  #addBasic(token: string): void {
    const decoded = Buffer.from(token, 'base64').toString('utf8');
    const colon = decoded.indexOf(':');
    if (colon >= 0) this.add(decoded.slice(colon + 1));
  }

  #addEncoded(part: string): void {
    if (part === '') return;
    this.add(part);
    try {
      this.add(decodeURIComponent(part));
    } catch {
      // Not percent-encoded after all.
    }
  }
}

function isEveryday(text: string): boolean {
  return EVERYDAY.has(text.toLowerCase()) || /^[\d.]{1,5}$/.test(text);
}
