// The author's error rules (`errors:`): when an outcome looks like this, then it means that.
import { Type } from '../../json/schema-type.js';
import { ms, object, pointer, text, anything } from './parts.js';

const optional = Type.Optional;

const statusForm = Type.Union(
  [
    Type.Integer({ minimum: 100, maximum: 599 }),
    Type.String({ pattern: '^[1-5]xx$' }),
    Type.Array(
      Type.Union(
        [Type.Integer({ minimum: 100, maximum: 599 }), Type.String({ pattern: '^[1-5]xx$' })],
        { expected: 'a status such as 409 or a class such as "5xx"' },
      ),
      { minItems: 1 },
    ),
  ],
  {
    description: 'HTTP status: `409`, `[500, 502]` or a class, `"5xx"`.',
    expected: 'a status such as 409, a list such as [500, 502], or a class such as "5xx"',
  },
);

/** A stable code of the author's own. */
function reason(description: string) {
  return Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$',
    description,
    expected: 'a stable code such as booking_not_cancellable',
  });
}

const when = object(
  {
    status: optional(statusForm),
    transport: optional(
      Type.String({
        pattern: '^(connection|timeout|tls|[A-Z][A-Z0-9_]{2,63})$',
        description:
          'A transport code (`ECONNREFUSED`, `UND_ERR_SOCKET`) or family: `connection`, `timeout`, `tls`.',
        expected: 'a code such as ECONNREFUSED, or connection, timeout or tls',
      }),
    ),
    body: optional(
      object(
        {
          pointer: pointer({ description: 'Where in the answer.' }),
          equals: optional(anything({ description: 'The value there is this.' })),
          matches: optional(
            text({ description: 'The text there matches this regular expression (RE2).' }),
          ),
        },
        { description: 'A field of a JSON answer.' },
      ),
    ),
    header: optional(
      object(
        {
          name: text({ description: 'Header name, any case.' }),
          equals: optional(Type.String({ description: 'The value is this.' })),
          matches: optional(
            text({ description: 'The value matches this regular expression (RE2).' }),
          ),
        },
        { description: 'A header of the answer.' },
      ),
    ),
    mcp_code: optional(Type.Integer({ description: 'JSON-RPC error code of an MCP server.' })),
    is_error: optional(Type.Literal(true, { description: 'An MCP result marked `isError`.' })),
    type: optional(text({ description: 'Class name of what a module tool threw.' })),
    text: optional(
      text({ description: 'Words in the text of a thrown error or an MCP `isError`.' }),
    ),
  },
  { description: 'Every key given must hold; at least one.' },
);

const then = object(
  {
    declined: optional(reason('The tool worked and said no; the reason.')),
    transient: optional(reason('It may pass by itself; the reason.')),
    permanent: optional(reason('It will not pass by itself; the reason.')),
    code: optional(text({ description: 'A code of the catalogue.' })),
    message: optional(text({ description: 'What callers read.' })),
    retry_after_ms: optional(ms({ description: 'When to come back.' }, 0)),
    retry_after_pointer: optional(
      pointer({ description: 'Where the answer says when to come back (seconds, or a date).' }),
    ),
  },
  { description: 'Exactly one of `declined`, `transient`, `permanent`, `code`.' },
);

export const ErrorRules = Type.Array(object({ when, then }), {
  description: "The author's rules; the most specific one that matches wins.",
});

/** Where a declared predicate looks and what it asks. */
export function predicate(description: string) {
  return object(
    {
      pointer: pointer({ description: 'Where in the answer.' }),
      equals: optional(anything({ description: 'The value there is this.' })),
      not_equals: optional(anything({ description: 'The value there is anything else.' })),
      absent: optional(
        Type.Boolean({ description: '`true`: nothing is there; `false`: something is.' }),
      ),
    },
    { description },
  );
}
