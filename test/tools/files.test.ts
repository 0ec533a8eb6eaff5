import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfigFile } from '../../src/tools/load.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolgate-config-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function faultOf(bytes: string | Uint8Array) {
  const file = join(folder, 'a.yaml');
  writeFileSync(file, bytes);
  const result = await loadConfigFile(file, {});
  return result.ok ? undefined : { ...result.faults[0]!, file: '' };
}

describe('files that are no configuration', () => {
  test('missing, or a folder', async () => {
    for (const [path, code] of [
      [join(folder, 'nowhere.yaml'), 'ENOENT'],
      [folder, 'EISDIR'],
    ] as const) {
      const result = await loadConfigFile(path, {});
      expect(result).toMatchObject({
        ok: false,
        faults: [{ file: path, line: 1, column: 1, message: `cannot be read (${code})` }],
      });
    }
  });

  test.each([
    ['UTF-16', Buffer.from('\ufeffversion: 1', 'utf16le'), 1, 1, /UTF-16/],
    [
      'bytes that are no UTF-8',
      Buffer.concat([Buffer.from('version: 1\n# é '), Buffer.from([0xc3, 0x28])]),
      2,
      5,
      /not text in UTF-8/,
    ],
    [
      'a character cut short at the end',
      Buffer.concat([Buffer.from('a: '), Buffer.from([0xf0, 0x9f, 0x98])]),
      1,
      4,
      /not text in UTF-8/,
    ],
    ['null bytes', Buffer.from('version: 1\nx: \0\0'), 2, 4, /control character/],
    ['a program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), 1, 1, /control character/],
    ['nothing', Buffer.alloc(0), 1, 1, /empty/],
    ['a byte order mark and nothing else', Buffer.from('\ufeff'), 1, 1, /empty/],
  ])('%s', async (_, bytes, line, column, message) => {
    const fault = await faultOf(bytes);
    expect(fault).toMatchObject({ line, column });
    expect(fault!.message).toMatch(message);
  });

  test('more than 16 MiB, unread', async () => {
    expect(await faultOf(Buffer.alloc(16 * 1024 * 1024 + 1, '#'))).toMatchObject({
      message: 'the file is too large',
    });
  });
});

describe('nesting and aliases are bounded', () => {
  test.each([
    ['flow lists', `version: 1\nx: ${'['.repeat(100_000)}`],
    ['flow maps', `version: 1\nx: ${'{a: '.repeat(100_000)}`],
    ['block maps', Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['block lists', `${'- '.repeat(5000)}x`],
    ['65 levels', `version: 1\nx: ${'['.repeat(65)}${']'.repeat(65)}`],
    ['a list that contains itself', 'version: 1\ntools: &a [*a]'],
    ['a map that merges itself', 'version: 1\ntools: &a { <<: *a }'],
    ['a map that merges itself and lacks a key', 'version: 1\ntools: [&a { <<: *a }]'],
  ])('%s', async (_, text) => {
    const file = join(folder, 'deep.yaml');
    writeFileSync(file, text);
    const result = await loadConfigFile(file, {});
    expect(result.ok).toBe(false);
    const words = result.ok ? '' : result.faults.map((fault) => fault.message).join();
    expect(words).toMatch(/nested too deeply|is an object|is missing/);
  });

  test('aliases of aliases of aliases', async () => {
    const names = 'a b c d e f g h i'.split(' ');
    const lists = names.map((name, i) =>
      i === 0
        ? `a: &a [1,1,1,1,1,1,1,1,1,1]`
        : `${name}: &${name} [${Array(10)
            .fill(`*${names[i - 1]!}`)
            .join()}]`,
    );
    const fault = await faultOf(`${lists.join('\n')}\nversion: 1\n`);
    expect(fault).toBeDefined();
    const file = join(folder, 'a.yaml');
    const result = await loadConfigFile(file, {});
    expect(result.ok ? [] : result.faults.map((f) => f.message)).toContain(
      'the file grows too large through its aliases',
    );
  });
});
