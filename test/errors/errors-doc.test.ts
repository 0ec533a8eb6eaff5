// docs/errors.md is what the catalogue and the classifier say, to the letter.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exampleOf } from '../../scripts/error-examples.js';
import { PAGE, renderPage } from '../../scripts/errors-doc.js';
import { ERROR_CODES } from '../../src/errors/catalogue.js';

describe('docs/errors.md', () => {
  it('is current (npx tsx scripts/errors-doc.ts writes it)', async () => {
    expect(await readFile(PAGE, 'utf8')).toBe(await renderPage());
  });

  it.each(ERROR_CODES)('the example of %s has that code', (code) => {
    expect(exampleOf(code).code).toBe(code);
    expect(exampleOf(code).message).not.toBe('');
  });
});
