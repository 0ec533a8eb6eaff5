import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { configurationPage, PAGE } from '../../scripts/config-doc.js';
import type { SchemaPiece } from '../../src/tools/schema/describe.js';
import { ConfigDocument } from '../../src/tools/schema/document.js';
import { loadConfig } from '../../src/tools/load.js';
import { show } from './marked.js';

const page = await readFile(PAGE, 'utf8');

test('the reference is what the schema says', async () => {
  expect(page).toBe(await configurationPage());
});

test('every key of the schema stands in it, with words of its own', () => {
  const keys = new Set<string>();
  const visit = (piece: SchemaPiece): void => {
    for (const [key, child] of Object.entries(piece.properties ?? {})) {
      keys.add(key);
      expect(child.description ?? '', key).not.toBe('');
      visit(child);
    }
    if (piece.items !== undefined) visit(piece.items);
    for (const branch of piece.anyOf ?? []) visit(branch);
  };
  visit(ConfigDocument as unknown as SchemaPiece);
  expect(keys.size).toBeGreaterThan(80);
  const reference = page.split('## Reference')[1]!;
  for (const key of keys) expect(reference).toContain(`\`${key}\``);
});

describe('every example loads', () => {
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!);
  expect(blocks.length).toBeGreaterThanOrEqual(6);
  const env = { WEATHER_TOKEN: 'w-token', BOOKING_TOKEN: 'b-token', NOTES_SECRET: 'n-secret' };

  test.each(blocks.map((block) => [block.trim().split('\n').slice(0, 3).join(' '), block]))(
    '%s',
    (_, block) => {
      const text = (block.startsWith('version:') ? block : `version: 1\n${block}`)
        // The module of the example does not exist here.
        .replace('./tools/add.js', './marked.ts');
      const result = loadConfig({ file: import.meta.filename, text }, env);
      expect(result.ok ? '' : show(result.faults)).toBe('');
    },
  );

  test('the faults shown are those that are told', () => {
    const text = `version: 1
tools:
  - name: a
    input_schema: { type: object, properties: { city: {}, days: {} } }
    timout_ms: 5
    http: { url: "http://x/{citty}" }
  - name: b
    http: { url: "http://x/", headers: { authorization: "Bearer \${BOOKING_TOKEN}" } }
`;
    const result = loadConfig({ file: 'toolgate.yaml', text }, {});
    const told = result.ok ? [] : show(result.faults).split('\n');
    const strip = (line: string) => line.replace(/^toolgate\.yaml:\d+:\d+ /, '');
    const shown = /```text\n([\s\S]*?)```/.exec(page)![1]!.trim().split('\n');
    expect(told.map(strip)).toEqual(shown.map(strip));
  });
});
