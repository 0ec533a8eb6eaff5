// What stands at a path of the file system, without throwing.
import { statSync } from 'node:fs';

export function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

export function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // No permission, a name too long, a null character: nothing that could be used.
    return undefined;
  }
}
