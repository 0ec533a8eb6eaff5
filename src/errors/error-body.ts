// Reads the machine code and the human text out of an error answer: exact fields of known shapes,
// never prose. The shapes stand in the order in which they are tried.
import { allCodes, awsCode } from './body-codes.js';
import { asArray, codeAt, dig, stringAt } from './json-fields.js';
import { first } from './retry-after.js';
import { withFieldFaults } from './field-faults.js';
import type { HeaderBag } from './outcome.js';

type Code = string | number | undefined;

interface Found {
  readonly code: Code;
  readonly text: string | undefined;
}

/** What an error body says. Nothing in it is scrubbed yet. */
export interface ErrorBody {
  /** The parsed body; undefined where it is no (whole) JSON. */
  readonly json: unknown;
  /** The upstream's own code, for `details.upstream_code`. */
  readonly code: Code;
  /** Every code field, lower case, for exact comparison. */
  readonly codes: readonly string[];
  /** For people; undefined where the body says nothing readable. */
  readonly text: string | undefined;
}

const SHAPES: readonly ((body: unknown, headers: HeaderBag) => Found | undefined)[] = [
  problemJson,
  googleError,
  errorObject,
  awsError,
  codeAndMessage,
  errorList,
  errorString,
  detailObject,
  textOnly,
];

const NOTHING: ErrorBody = { json: undefined, code: undefined, codes: [], text: undefined };

/** Reads an error body. `cut`: only its first part is here. Never throws. */
export function readErrorBody(body: string, headers: HeaderBag, cut = false): ErrorBody {
  const amzn = first(headers['x-amzn-errortype']);
  if (body === '' && amzn === undefined) return NOTHING;
  const start = body.trimStart().charAt(0);
  if (start === '<') return readMarkup(body);
  const json = cut || !'{["'.includes(start) || start === '' ? undefined : parse(body);
  const whole = Array.isArray(json) ? (json as unknown[])[0] : json;
  if (typeof whole !== 'object' || whole === null) {
    const text = typeof json === 'string' ? json : plainText(body, start, headers);
    const code = awsCode(amzn);
    return { json, code, codes: code === undefined ? [] : [code.toLowerCase()], text };
  }
  const found = findShape(whole, headers);
  const text = withFieldFaults(found.text ?? stringAt(whole, 'title'), whole);
  return { json, code: found.code, codes: allCodes(whole, amzn), text };
}

function findShape(body: object, headers: HeaderBag): Found {
  let code: Code;
  let text: string | undefined;
  for (const shape of SHAPES) {
    const found = shape(body, headers);
    code ??= found?.code;
    text ??= found?.text;
    if (code !== undefined && text !== undefined) break;
  }
  return { code, text };
}

/** RFC 9457. */
function problemJson(body: unknown, headers: HeaderBag): Found | undefined {
  const declared = first(headers['content-type'])?.includes('problem+json') === true;
  const type = stringAt(body, 'type');
  if (!declared && (type === undefined || stringAt(body, 'title') === undefined)) return undefined;
  return {
    code: type === 'about:blank' ? undefined : type,
    text: stringAt(body, 'detail') ?? stringAt(body, 'title'),
  };
}

/** Google AIP-193: `error.status`, `error.details[]`. */
function googleError(body: unknown): Found | undefined {
  const status = stringAt(body, 'error', 'status');
  if (status === undefined) return undefined;
  return { code: status, text: stringAt(body, 'error', 'message') };
}

/** `{error: {code|type, message}}`: OpenAI, Anthropic, Stripe, Azure. */
function errorObject(body: unknown): Found | undefined {
  const error = dig(body, ['error']);
  if (typeof error !== 'object' || error === null) return undefined;
  return {
    code: stringAt(error, 'code') ?? stringAt(error, 'type') ?? codeAt(error, 'code'),
    text:
      stringAt(error, 'message') ??
      stringAt(error, 'detail') ??
      stringAt(error, 'description') ?? // Razorpay
      stringAt(error, 'reason'), // Elasticsearch
  };
}

/** AWS: `x-amzn-errortype: Name:http://…`, `__type: namespace#Name`. */
function awsError(body: unknown, headers: HeaderBag): Found | undefined {
  const code = awsCode(first(headers['x-amzn-errortype']) ?? stringAt(body, '__type'));
  if (code === undefined) return undefined;
  return { code, text: stringAt(body, 'message') ?? stringAt(body, 'Message') };
}

/** `{code, message}` and its cousins. */
function codeAndMessage(body: unknown): Found | undefined {
  const code =
    codeAt(body, 'code') ??
    codeAt(body, 'errorCode') ??
    codeAt(body, 'error_code') ??
    codeAt(body, 'Code') ?? // Alibaba Cloud
    codeAt(body, 'errorType'); // HubSpot
  const text = stringAt(body, 'message') ?? stringAt(body, 'Message');
  return code === undefined ? undefined : { code, text };
}

/** `{errors: [{code, message|detail|title}]}`: JSON:API, GraphQL, Cloudflare. */
function errorList(body: unknown): Found | undefined {
  const entry = asArray(dig(body, ['errors']))[0];
  if (entry === undefined) return undefined;
  if (typeof entry === 'string') return { code: undefined, text: entry };
  return {
    code:
      codeAt(entry, 'extensions', 'code') ??
      codeAt(entry, 'code') ??
      codeAt(entry, 'reason') ??
      codeAt(entry, 'type') ??
      codeAt(entry, 'error'), // Airtable
    text: stringAt(entry, 'detail') ?? stringAt(entry, 'message') ?? stringAt(entry, 'title'),
  };
}

/** `{error: "invalid_grant", error_description}` (RFC 6749 §5.2), `{ok: false, error: "…"}`. */
function errorString(body: unknown): Found | undefined {
  const error = stringAt(body, 'error');
  if (error === undefined) return undefined;
  const isCode = /^[\w.:-]{1,80}$/.test(error);
  return {
    code: isCode ? error : undefined,
    text:
      stringAt(body, 'error_description') ??
      stringAt(body, 'message') ??
      stringAt(body, 'description') ??
      (isCode ? undefined : error),
  };
}

/** `{detail: {code|status, message}}`: FastAPI services with errors of their own. */
function detailObject(body: unknown): Found | undefined {
  const detail = dig(body, ['detail']);
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return undefined;
  return {
    code: codeAt(detail, 'code') ?? codeAt(detail, 'status'),
    text: stringAt(detail, 'message'),
  };
}

const TEXT_FIELDS: readonly (readonly string[])[] = [
  ['message'],
  ['detail'],
  ['description'],
  ['errors'],
  ['msg'], // Twirp
  ['error_message'], // Google Maps
  ['errorMessage'], // AWS Lambda
  ['errorMessages', '0'], // Jira
  ['errorSummary'], // Okta
  ['error_summary'], // Dropbox
  ['fault', 'faultstring'], // Apigee
];

/** A body without a code, unless its status is one (`{status: "OVER_QUERY_LIMIT"}`, Google Maps). */
function textOnly(body: unknown): Found {
  const status = stringAt(body, 'status');
  const code = status !== undefined && /^[A-Z]+(?:_[A-Z]+)+$/.test(status) ? status : undefined;
  const field = TEXT_FIELDS.find((path) => stringAt(body, ...path) !== undefined);
  return { code, text: field && stringAt(body, ...field) };
}

/** AWS's query protocol and S3 answer XML; of other markup nothing is read. */
function readMarkup(body: string): ErrorBody {
  const head = body.slice(0, 4096);
  const code = /<(?:\w{1,20}:)?Code>\s{0,50}([\w.-]{1,120})\s{0,50}<\//.exec(head)?.[1];
  if (code === undefined) return NOTHING;
  const text = /<(?:\w{1,20}:)?Message>([^<]{1,1000})<\//.exec(head)?.[1];
  return { json: undefined, code, codes: [code.toLowerCase()], text };
}

/** Words only: no JSON literal, no broken JSON, nothing that is declared as something else. */
function plainText(body: string, start: string, headers: HeaderBag): string | undefined {
  if (start === '' || start === '{' || start === '[') return undefined;
  const type = first(headers['content-type'])?.toLowerCase() ?? 'text/plain';
  if (type.includes('html') || !/^text\/|json/.test(type)) return undefined;
  return /^\s*(?:null|true|false|-?[\d.eE+]+)\s*$/.test(body.slice(0, 64)) ? undefined : body;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body.charCodeAt(0) === 0xfeff ? body.slice(1) : body) as unknown;
  } catch {
    return undefined;
  }
}
