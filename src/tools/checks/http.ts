// `http:` of a tool: a URL whose host no argument can change, placeholders that are arguments, parts that
// go with the method.
import type { JsonObject } from '../../call.js';
import type { ConfigPath } from '../faults.js';
import { type CheckContext, members, textOf } from './context.js';
import { checkHeaders } from './headers.js';
import { checkPlaceholder, checkTree, placeholdersIn } from './placeholders.js';
import { checkPredicate } from './error-rules.js';

const URL_PARTS = /^(https?:\/\/[^/?#\\]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/is;
const READING = ['GET', 'HEAD'];

/** @param known the tool's arguments; undefined when its schema does not say. */
export function checkHttp(
  context: CheckContext,
  path: ConfigPath,
  http: JsonObject,
  known: readonly string[] | undefined,
): void {
  const url = textOf(http['url']);
  if (url !== undefined) checkUrlTemplate(context, [...path, 'url'], url, known);
  checkTree(context, [...path, 'query'], http['query'], known);
  checkHeaders(context, [...path, 'headers'], http['headers']);
  checkTree(context, [...path, 'headers'], http['headers'], known);
  checkTree(context, [...path, 'body'], http['body'], known, true);
  if (http['success_when'] !== undefined)
    checkPredicate(context, [...path, 'success_when'], http['success_when']);

  const method = textOf(http['method']) ?? 'GET';
  if (READING.includes(method)) {
    if (http['body'] != null)
      context.fault(
        [...path, 'body'],
        `${method} has no body`,
        'another method, or no body',
        'key',
      );
  } else if (http['follow_redirects'] === 'same_origin') {
    const place = [...path, 'follow_redirects'];
    context.warn(place, `has no effect: redirects of ${method} are never followed`);
  }
}

function checkUrlTemplate(
  context: CheckContext,
  path: ConfigPath,
  url: string,
  known: readonly string[] | undefined,
): void {
  const [, authority, pathname = '', query = '', fragment] = URL_PARTS.exec(url) ?? [];
  if (authority === undefined) {
    context.fault(
      path,
      'is no absolute http or https URL',
      'an absolute URL such as https://api.example.com/v1/{id}',
    );
    return;
  }
  if (/[{}]/.test(authority)) {
    const message = 'a placeholder stands in the host, the port or the credentials';
    context.fault(path, message, 'placeholders in path or query only');
  } else if (!isAuthority(authority)) {
    context.fault(
      path,
      'has no valid host or port',
      'an absolute URL such as https://api.example.com:8443',
    );
  }
  if (fragment !== undefined) context.fault(path, 'has a fragment (#…)', 'a URL without one');
  const rest = pathname + query;
  if (/[\s\p{Cc}]/u.test(rest)) context.fault(path, 'has white space', 'a URL without it (%20)');
  const braces = rest.replace(/\{[A-Za-z_$][\w$.-]*\}/g, '');
  if (/[{}]/.test(braces))
    context.fault(path, 'has a brace that is no placeholder', '{argument}, or %7B and %7D');
  for (const name of placeholdersIn(rest)) checkPlaceholder(context, path, name, known);
}

function isAuthority(text: string): boolean {
  return URL.canParse(text) && new URL(text).hostname !== '' && !/\s/.test(text);
}

/** A URL without placeholders: an MCP server, a token endpoint. */
export function checkPlainUrl(context: CheckContext, path: ConfigPath, value: unknown): void {
  const url = textOf(value);
  if (url === undefined) return;
  const [, authority] = URL_PARTS.exec(url) ?? [];
  if (authority === undefined || !isAuthority(authority) || !URL.canParse(url))
    context.fault(
      path,
      'is no absolute http or https URL',
      'an absolute URL such as https://mcp.example.com/mcp',
    );
}

/** The method's own answer to whether a tool only reads. */
export function readsOnly(tool: JsonObject): boolean {
  const declared = tool['read_only'];
  if (typeof declared === 'boolean') return declared;
  if (tool['http'] === undefined) return false;
  const method = members(tool['http'])['method'];
  return method === undefined || (typeof method === 'string' && READING.includes(method));
}
