// Writes the reference part of docs/configuration.md from the configuration schema; a test holds the
// page to it. What stands above the mark in that page is written by hand and kept.
// Run: npx tsx scripts/config-doc.ts
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { describeSchema, type SchemaPiece } from '../src/tools/schema/describe.js';
import { ConfigDocument } from '../src/tools/schema/document.js';
import { policyKeys } from '../src/tools/schema/policy.js';

export const PAGE = fileURLToPath(new URL('../docs/configuration.md', import.meta.url));

const MARK =
  '<!-- From here on written by scripts/config-doc.ts from src/tools/schema/. Do not edit. -->';

interface Section {
  readonly path: string;
  readonly piece: SchemaPiece;
}

/** The page as it should be: the hand-written part, then the reference. */
export async function configurationPage(): Promise<string> {
  const [written = ''] = (await readFile(PAGE, 'utf8')).split(MARK);
  const text = `${written.trimEnd()}\n\n${MARK}\n\n${reference()}`;
  return format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}

function reference(): string {
  const sections = [
    ...sectionsOf({ path: '', piece: ConfigDocument as unknown as SchemaPiece }, new Map()),
  ];
  return `## Reference\n\n${sections.join('\n')}`;
}

/** An object's table, then those of the objects in it; a piece that was shown before is linked. */
function* sectionsOf(section: Section, shown: Map<string, string>): Generator<string> {
  const { path, piece } = section;
  const properties = Object.entries(piece.properties ?? {}).filter(
    ([key]) => !hasPolicy(path) || !Object.hasOwn(policyKeys, key),
  );
  const rows = properties.map(([key, child]) => row(key, child, piece, shown));
  yield [
    path === '' ? '### The file' : `### \`${path}\``,
    '',
    ...(piece.description === undefined ? [] : [piece.description, '']),
    '| key | value | default | |',
    '|---|---|---|---|',
    ...rows,
    ...(hasPolicy(path)
      ? ['', 'Every key of [`defaults`](#defaults) may stand here as well, and wins.']
      : []),
    '',
  ].join('\n');
  for (const [key, child] of properties) {
    const inner = objectIn(child);
    if (inner === undefined || shown.has(inner.id)) continue;
    const place = `${path === '' ? '' : `${path}.`}${key}${inner.isList ? '[]' : ''}`;
    shown.set(inner.id, place);
    const described = { ...inner.piece, ...describedBy(child) };
    yield* sectionsOf({ path: place, piece: described }, shown);
  }
}

function hasPolicy(path: string): boolean {
  return path === 'tools[]' || path === 'mcp_servers[]';
}

function describedBy({ description }: SchemaPiece): Pick<SchemaPiece, 'description'> {
  return description === undefined ? {} : { description };
}

function row(
  key: string,
  child: SchemaPiece,
  parent: SchemaPiece,
  shown: ReadonlyMap<string, string>,
): string {
  const required = parent.required?.includes(key) === true;
  const inner = objectIn(child);
  const seen = inner === undefined ? undefined : shown.get(inner.id);
  const see = seen === undefined ? '' : ` As in [\`${seen}\`](#${anchor(seen)}).`;
  const value = describeSchema(child);
  const cells = [
    `\`${key}\`${required ? ' (required)' : ''}`,
    value,
    child.default === undefined ? '' : `\`${JSON.stringify(child.default)}\``,
    `${child.description ?? ''}${see}`,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

interface Inner {
  readonly piece: SchemaPiece;
  readonly isList: boolean;
  /** The same for pieces with the same keys. */
  readonly id: string;
}

/** The object that a value holds: itself, a branch of a union, or a list's items. */
function objectIn(value: SchemaPiece): Inner | undefined {
  const candidates = [value, value.items, ...(value.anyOf ?? [])];
  const piece = candidates.find((candidate) => candidate?.properties !== undefined);
  if (piece === undefined) return undefined;
  return { piece, isList: piece === value.items, id: JSON.stringify(piece.properties) };
}

function anchor(path: string): string {
  return path.toLowerCase().replace(/[^a-z0-9_-]/g, '');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await writeFile(PAGE, await configurationPage());
}
