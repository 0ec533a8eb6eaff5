// Where the package's own files are: the folder of package.json, above `src` or `dist/src`.
import { existsSync } from 'node:fs';

function find(from: URL): URL {
  let folder = new URL('.', from);
  while (!existsSync(new URL('package.json', folder))) {
    const parent = new URL('..', folder);
    if (parent.href === folder.href) throw new Error('package.json not found above the sources');
    folder = parent;
  }
  return folder;
}

/** A folder's URL, with a trailing slash. */
export const packageRoot = find(new URL(import.meta.url));
