// A configured secret in every form it travels in: as it is, inside a header's scheme, base64 (at
// any alignment, as in `Basic user:secret`), percent-encoded, escaped in JSON or HTML, in hex.

/** Anything shorter would tear holes into ordinary text and is matched as a whole word only. */
const MIN_SECRET_CHARS = 6;

/** Below this, an encoded piece is too short to be told from chance. */
const MIN_ENCODED_CHARS = 8;

/** All forms of the secrets, longest first, so that no form is cut open by a shorter one. */
export function secretForms(secrets: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const secret of secrets.flatMap(withParts)) {
    if (secret.length < MIN_SECRET_CHARS) continue;
    forms.add(secret);
    forms.add(stripped(secret));
    for (const form of encoded(secret)) {
      if (form.length >= MIN_ENCODED_CHARS) forms.add(form);
    }
  }
  return [...forms]
    .filter((form) => form.length >= MIN_SECRET_CHARS)
    .sort((a, b) => b.length - a.length);
}

/** Secrets of 3 to 5 characters: taken out only where they stand alone. */
export function shortSecrets(secrets: readonly string[]): readonly string[] {
  return [...new Set(secrets.flatMap(withParts))].filter(
    (secret) => secret.length >= 3 && secret.length < MIN_SECRET_CHARS,
  );
}

/** The secret and the secret parts in it: a header's credential, a URL's userinfo. */
function withParts(value: string): string[] {
  const secret = value.trim();
  const parts = [secret];
  const [, scheme, credential] =
    /^(basic|bearer|token|apikey|digest|negotiate)\s+(\S+)$/i.exec(secret) ?? [];
  if (credential !== undefined) parts.push(credential);
  if (scheme?.toLowerCase() === 'basic') {
    const pair = Buffer.from(credential ?? '', 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    if (colon > 0) parts.push(pair, pair.slice(colon + 1));
  }
  const userinfo = /^[a-z][\w+.-]*:\/\/([^/?#\s]*)@/i.exec(secret)?.[1];
  if (userinfo !== undefined) {
    const password = userinfo.slice(userinfo.indexOf(':') + 1);
    parts.push(userinfo, password, percentDecoded(password));
  }
  return parts.filter((part) => part !== '');
}

function encoded(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const percent = percentEncoded(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[^\x20-\x7e]/g, unicodeEscape);
  return [
    ...base64Forms(bytes),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    percent.replaceAll('%20', '+'),
    strictPercentEncoded(percent),
    percentEncoded(percent),
    json,
    ascii,
    ascii.replaceAll('\\u', '\\U'),
    JSON.stringify(json).slice(1, -1),
    htmlEscaped(secret),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('latin1'), // UTF-8 read as Latin-1, as header values are
  ];
}

/** The secret's own base64, and the characters that it alone decides at each of three alignments. */
function base64Forms(bytes: Buffer): string[] {
  const forms = [bytes.toString('base64'), bytes.toString('base64url')];
  for (const before of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const own = padded.slice(start, end);
    forms.push(own, own.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text; // a lone surrogate
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** RFC 3986 encoders also escape what encodeURIComponent leaves. */
function strictPercentEncoded(percent: string): string {
  return percent.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function htmlEscaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** As the secret looks once control characters are gone. */
function stripped(secret: string): string {
  return secret.replace(/\p{Cc}+/gu, ' ');
}
