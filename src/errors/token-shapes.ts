// Tokens that nobody configured here but that look like nothing else: credentials of well-known
// issuers, credentials in URLs, headers and assignments, private keys. Every quantifier that could back
// up is bounded, since the text is an upstream's.
import { withoutStackFrames } from './stack-frames.js';

const REDACTED = '[redacted]';

/** Names whose value is a secret wherever it is assigned. */
const SECRET_NAME =
  '[\\w-]{0,40}(?:password|passwd|passphrase|pwd|secret|api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|account[-_]?key|token|signature|credentials?|bindpw|sessionid|session[-_]id|jsessionid|phpsessid|connect\\.sid|sid)';

interface Shape {
  /** Cheap: whether the pattern is worth running at all. */
  readonly hint: RegExp;
  readonly pattern: RegExp;
  readonly replacement: string;
}

const SECRET_WORD = /pass|pwd|bindpw|secret|key|token|signature|credential|sid\b|session/i;

/** An id and a key of theirs. */
const BOT = /\d:A/;

const SHAPES: readonly Shape[] = [
  // Private keys, also ones that were cut.
  {
    hint: /-----BEGIN/,
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
    replacement: REDACTED,
  },
  // The userinfo of a URL.
  {
    hint: /:\/\//,
    // An unescaped password may have an @ or a slash in it; a port is no password.
    pattern:
      /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)(?:[^\s/?#"'<>]{1,512}|[^\s/?#"'<>@:[]{0,128}:(?!\d{1,5}[/?#])[^\s"'<>]{1,256})@/gi,
    replacement: `$1${REDACTED}@`,
  },
  // Query and fragment parameters with a telling name.
  {
    hint: /[?&#;]|%3f|%26/i,
    pattern:
      /((?:[?&#;]|%3f|%26)[\w.-]{0,60}(?:key|token|secret|sig|signature|password|passwd|pwd|auth|authorization|credential|session|sid|jwt|assertion)(?:=|%3d))[^&#\s"'<>]+/gi,
    replacement: `$1${REDACTED}`,
  },
  // OAuth's, but no error's.
  {
    hint: /[?&#]code=/,
    pattern: /([?&#]code=)(?![A-Z_]{1,60}(?![^&#\s"'<>]))[^&#\s"'<>]{8,}/g,
    replacement: `$1${REDACTED}`,
  },
  // Headers.
  {
    hint: /authorization/i,
    pattern:
      /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?)(?:digest\s[^\r\n]{1,4096}|(?:basic|bearer|token|apikey|negotiate|aws4-hmac-sha256)\s[^\r\n"']{1,4096}|[^\s"',;]{12,})/gi,
    replacement: `$1${REDACTED}`,
  },
  {
    hint: /cookie/i,
    pattern: /\b((?:set-)?cookie["']?\s{0,3}[:=]\s{0,3}["']?)[\w.$!%-]{1,100}=[^\r\n"']*/gi,
    replacement: `$1${REDACTED}`,
  },
  {
    hint: /bearer|basic/i,
    pattern: /\b(bearer|basic)\s+(?=[\w.~+/-]*\d|[\w.~+/-]{20,})[\w.~+/-]{6,}=*/gi,
    replacement: `$1 ${REDACTED}`,
  },
  // JSON Web Tokens, whole or cut.
  { hint: /eyJ/, pattern: /\beyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g, replacement: REDACTED },
  // Issuers.
  {
    hint: /[spr]k[-_]/,
    // `pk_orders_customer` is a database's.
    pattern:
      /\b(?:sk-[\w-]{12,}|[spr]k[-_](?:(?:live|test|prod)[-_]|(?=[\w-]{0,60}[a-z0-9]{12})(?=[\w-]{0,200}\d))[\w-]{12,})/gi,
    replacement: REDACTED,
  },
  {
    hint: /[_.-]|AIza|EAAC|ATATT/,
    pattern:
      /\b(?:gh[opsur]_|github_pat_|glpat-|glsa_|xox[abeoprs]-|xapp-|shp(?:at|ca|pa|ss)_|do[opr]_v1_|whsec_|gsk_|xai-|pplx-|lin_api_|ntn_|figd_|dckr_pat_|sntrys_|ya29\.|AIza|SG\.|EAAC|ATATT|hv[sbr]\.|dp\.[a-z]{2,10}\.|pypi-Ag|sq0[a-z]{3}-|GOCSPX-|nfp_|sbp_|PMAK-|pat-[a-z]{2}\d-|AGE-SECRET-KEY-|fm[12]_)[\w.-]{10,}/g,
    replacement: REDACTED,
  },
  // Prefixes that words have too.
  {
    hint: /npm_|hf_|secret_|r8_|key-|pat|1\/\/0/,
    pattern:
      /\b(?:(?:npm_|hf_|secret_|r8_)[A-Za-z0-9]{20,}|key-[0-9a-z]{32}|pat[A-Za-z0-9]{14}\.[0-9a-z]{32,}|1\/\/0[\w-]{20,})/g,
    replacement: REDACTED,
  },
  // Bots of Telegram; webhooks of Discord.
  { hint: BOT, pattern: /(?<![\dA-Za-z])\d{6,12}:AA[\w-]{30,}/g, replacement: REDACTED },
  { hint: BOT, pattern: /(\/bot\d{6,12}:)[\w-]{30,}/g, replacement: `$1${REDACTED}` },
  {
    hint: /\/webhooks\//,
    pattern: /(\/api\/webhooks\/\d{5,25}\/)[\w-]+/g,
    replacement: `$1${REDACTED}`,
  },
  {
    hint: /A[A-Z]{3}[A-Z0-9]{12}/,
    pattern: /\b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{12,}\b/g,
    replacement: REDACTED,
  },
  {
    hint: /hooks\.slack/,
    pattern: /(hooks\.slack\.com\/(?:services|workflows)\/)[\w/]+/g,
    replacement: `$1${REDACTED}`,
  },
  // A command line: --token …, -u user:…
  {
    hint: /(?:^|\s)-/,
    pattern: new RegExp(`((?:^|\\s)--${SECRET_NAME}\\s{1,3}["']?)[^\\s"']{3,}`, 'gi'),
    replacement: `$1${REDACTED}`,
  },
  {
    hint: /\s-u/,
    pattern: /(\s-u\s{0,3}["']?[^\s:"']{1,64}:)[^\s"']+/g,
    replacement: `$1${REDACTED}`,
  },
  // "password": "…", api_key=…, Token: …
  {
    hint: SECRET_WORD,
    // The quotes may be those of JSON in JSON, the first of them cut off.
    pattern: new RegExp(
      `(${SECRET_NAME}\\\\{0,3}["']\\s{0,3}:\\s{0,3}\\\\{0,3}["'])[^"'\\\\]{1,4096}`,
      'gi',
    ),
    replacement: `$1${REDACTED}`,
  },
  {
    hint: SECRET_WORD,
    pattern: new RegExp(`(<(?:[\\w-]{1,40}:)?${SECRET_NAME}>)[^<]{1,4096}`, 'gi'),
    replacement: `$1${REDACTED}`,
  },
  // Incorrect API key provided: …
  {
    hint: SECRET_WORD,
    pattern:
      /\b((?:api[ _-]?key|token|password|secret) (?:provided|supplied|given|is)\s?:?\s{1,3}["'`]?)(?=[^\s"',;]{0,200}\d)[^\s"'`,;<>]{8,}/gi,
    replacement: `$1${REDACTED}`,
  },
  {
    hint: SECRET_WORD,
    pattern: new RegExp(`\\b(${SECRET_NAME}\\s{0,3}=\\s{0,3}["']?)[^\\s"'&,;<>)]{3,}`, 'gi'),
    replacement: `$1${REDACTED}`,
  },
  {
    hint: SECRET_WORD,
    pattern: new RegExp(
      `\\b(${SECRET_NAME}\\s{0,3}:\\s{0,3}["']?)(?=[^\\s"',;]{0,200}\\d)[^\\s"',;<>]{8,}`,
      'gi',
    ),
    replacement: `$1${REDACTED}`,
  },
];

/** Our own ids, which every log line holds: no shape is made of these characters alone. */
const HEX_ONLY = /^[0-9a-f -]*$/;

/** Takes token shapes and stack frames out of a text. */
export function redactShapes(text: string): string {
  if (HEX_ONLY.test(text)) return text;
  let out = text;
  // Neighbours share a hint; what is not there stays away whatever is taken out.
  let missing: RegExp | undefined;
  for (const { hint, pattern, replacement } of SHAPES) {
    if (hint === missing) continue;
    if (hint.test(out)) out = out.replace(pattern, replacement);
    else missing = hint;
  }
  return withoutStackFrames(out);
}
