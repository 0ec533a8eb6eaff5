// Tokens that nobody configured here but that look like nothing else: credentials of well-known
// issuers, credentials in URLs, headers and assignments, private keys; and stack frames. Every
// quantifier that could back up is bounded, since the text is an upstream's.

const REDACTED = '[redacted]';

/** Names whose value is a secret wherever it is assigned. */
const SECRET_NAME =
  '[\\w-]{0,40}(?:password|passwd|passphrase|pwd|secret|api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|account[-_]?key|token|signature|credentials?|sessionid|session[-_]id|jsessionid|phpsessid|connect\\.sid|sid)';

interface Shape {
  /** Cheap: whether the pattern is worth running at all. */
  readonly hint: RegExp;
  readonly pattern: RegExp;
  readonly replacement: string;
}

const SECRET_WORD = /pass|pwd|secret|key|token|signature|credential|sid\b|session/i;

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
    pattern: /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]{1,512}@/gi,
    replacement: `$1${REDACTED}@`,
  },
  // Query and fragment parameters with a telling name.
  {
    hint: /[?&#;]/,
    pattern:
      /([?&#;][\w.-]{0,60}(?:key|token|secret|sig|signature|password|passwd|pwd|auth|authorization|credential|session|sid|jwt|assertion)=)[^&#\s"'<>]+/gi,
    replacement: `$1${REDACTED}`,
  },
  { hint: /[?&#]code=/, pattern: /([?&#]code=)[^&#\s"'<>]{8,}/g, replacement: `$1${REDACTED}` },
  // Headers.
  {
    hint: /authorization/i,
    pattern:
      /\b((?:proxy-)?authorization["']?\s{0,3}[:=]\s{0,3}["']?)(?:(?:basic|bearer|digest|token|apikey|negotiate|aws4-hmac-sha256)\s[^\r\n"']{1,4096}|[^\s"',;]{12,})/gi,
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
  { hint: /[spr]k[-_]/, pattern: /\b(?:sk|pk|rk)[-_][\w-]{12,}/g, replacement: REDACTED },
  {
    hint: /[_.-]|AIza|EAAC/,
    pattern:
      /\b(?:gh[opsur]_|github_pat_|glpat-|npm_|hf_|xox[abeoprs]-|xapp-|shp(?:at|ca|pa|ss)_|dop_v1_|whsec_|gsk_|xai-|pplx-|lin_api_|ntn_|secret_|figd_|dckr_pat_|sntrys_|r8_|ya29\.|AIza|SG\.|EAAC)[\w.-]{10,}/g,
    replacement: REDACTED,
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
  // "password": "…", api_key=…, Token: …
  {
    hint: SECRET_WORD,
    pattern: new RegExp(`(["']${SECRET_NAME}["']\\s{0,3}:\\s{0,3}["'])[^"']{1,4096}`, 'gi'),
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

/** Stack frames of JavaScript, Java and Python: of no use to a caller, and full of paths. */
const STACK_FRAMES = /\r?\n[ \t]*(?:at |File "[^"\n]{0,500}", line )[^\n]*/g;

/** Our own ids, which every log line holds: no shape is made of these characters alone. */
const HEX_ONLY = /^[0-9a-f -]*$/;

/** Takes token shapes and stack frames out of a text. */
export function redactShapes(text: string): string {
  if (HEX_ONLY.test(text)) return text;
  let out = text;
  for (const { hint, pattern, replacement } of SHAPES) {
    if (hint.test(out)) out = out.replace(pattern, replacement);
  }
  return out.includes('\n') ? out.replace(STACK_FRAMES, '') : out;
}
