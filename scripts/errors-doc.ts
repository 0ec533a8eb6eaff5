// Writes docs/errors.md from the catalogue; a test holds the page to it.
// Run: npx tsx scripts/errors-doc.ts
import { writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { CATALOGUE, CATEGORIES, ERROR_CODES, type ErrorCode } from '../src/errors/catalogue.js';
import { exampleOf } from './error-examples.js';

export const PAGE = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

const INTRODUCTION = `# Errors

<!-- Written by scripts/errors-doc.ts from src/errors/catalogue.ts. Do not edit. -->

Every call comes back with \`status\` \`ok\`, \`error\` or \`declined\`. The last two carry an
\`error_info\`:

| field | |
|---|---|
| \`code\` | what happened: one of the codes below |
| \`category\` | what to do about it; a code has exactly one |
| \`reason\` | the tool author's own stable code, where there is one |
| \`message\` | for people and models, at most 500 characters; never branch on it |
| \`retryable\` | whether the same call may be sent again as it is |
| \`retry_after_ms\` | when, in milliseconds (0 to 86400000), or \`null\` where nothing is known |
| \`effect\` | \`not_sent\`: the upstream cannot have seen the call; \`completed\`: it gave a definite answer and nothing is left running; \`unknown\`: it may have happened |
| \`details\` | structured facts. Always \`tool_name\`, \`attempts\`, \`transient\` (the cause may pass by itself, even where repeating is unsafe) and \`classified_by\` |

\`retryable\` is true only where the category allows it, the cause may pass by itself, and repeating is
safe: the call was never sent, or the tool is idempotent, or an idempotency key went with it, or the
upstream refused before executing. A declined call is an answer, not a fault.

Times in \`details\` (\`timeout\`, \`retry_after\`, \`reset_timeout\`) are seconds; everything that ends in
\`_ms\` is milliseconds.
`;

const AUTHORS = `## Saying it yourself

Who knows a tool best is its author. Rules in the configuration (\`errors:\`) give an upstream's answers
a meaning; the most specific rule wins. A module tool throws it:

\`\`\`js
import { ToolErrorMap, ToolFailure, ToolRefusal, permanent, refusal, transient } from 'toolgate/errors';

const SUPPLIER = new ToolErrorMap({
  classes: [
    [HttpError, permanent('supplier_rejected')], // a family …
    [ConnectError, transient('supplier_down', { retryAfterMs: 2000 })], // … and one member
  ],
  codes: { ECONNREFUSED: transient('supplier_down') },
  statuses: { 409: refusal('booking_not_cancellable', 'This fare is non-refundable.') },
});

export default async function cancel({ booking }, { signal }) {
  if (booking === '') throw new ToolRefusal('no_booking', 'Name a booking first.');
  try {
    return await supplier.cancel(booking, { signal });
  } catch (error) {
    throw SUPPLIER.classify(error);
  }
}
\`\`\`

- \`ToolFailure(code, {transient, retryAfterMs, message})\`: the tool tried and could not finish.
  \`transient: true\` says that nothing landed and the same call could succeed; the default is false.
- \`ToolRefusal(code, message)\`: the tool worked and said no. Delivered once, never retried.
- \`ToolTimedOutError\`, \`ToolNotPermittedError\`, \`ToolNotFoundError\`,
  \`ToolArgumentValidationError\`, \`ToolResultError\`: what their names say.
- The map never guesses (what nobody mapped is the permanent \`unmapped_failure\`), never swallows a
  cancellation, and never overrules a tool error that is one already.
`;

const STABILITY = `## Stability

Codes and categories are public API, and so are the \`reason\` codes of your tools' authors.

- New codes come with minor versions. Treat a code that you do not know by its \`category\`, and a
  category that you do not know by \`retryable\`.
- Removing a code, moving it to another category or giving it another meaning is a major version.
- Messages are no API.
`;

/** The whole page, formatted as the repository formats Markdown. */
export async function renderPage(): Promise<string> {
  const parts = [
    INTRODUCTION,
    categories(),
    '## Codes',
    ...ERROR_CODES.map(section),
    AUTHORS,
    STABILITY,
  ];
  const config = await resolveConfig(PAGE);
  return format(parts.join('\n\n'), { ...config, parser: 'markdown' });
}

function categories(): string {
  const rows = Object.entries(CATEGORIES).map(
    ([category, { mayRetry, callerAction }]) =>
      `| \`${category}\` | ${mayRetry ? 'yes' : 'no'} | ${callerAction} |`,
  );
  return [
    '## Categories',
    '',
    '| category | may retry | what the caller does |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

function section(code: ErrorCode): string {
  const { category, when, since } = CATALOGUE[code];
  const { mayRetry, callerAction } = CATEGORIES[category];
  return [
    `### ${code}`,
    '',
    when,
    '',
    `- Category: \`${category}\`${mayRetry ? '' : ', never retryable'}. Since ${since}.`,
    `- What the caller does: ${callerAction}`,
    '',
    '```json',
    JSON.stringify(exampleOf(code), null, 2),
    '```',
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await writeFile(PAGE, await renderPage());
}
