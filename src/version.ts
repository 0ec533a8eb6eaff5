// The version of the package, read once; works from the sources and from dist alike.
import { readFileSync } from 'node:fs';
import { packageRoot } from './package-root.js';

export const VERSION = (
  JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as { version: string }
).version;
