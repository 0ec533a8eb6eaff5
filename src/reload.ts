// When the configuration is read again: on SIGHUP, and when its file changes.
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Admin } from './plugins/admin.js';

/** Kubernetes swaps this link in the folder when a ConfigMap changes; the file's own name stays. */
const CONFIG_MAP_LINK = '..data';

/** Editors write a file in several steps; this much quiet ends them, milliseconds. */
const QUIET_MS = 200;

/** Reloads until it is closed. A faulty file changes nothing; the admin's audit line says so. */
export function reloadOnChange(file: string, admin: Admin): { close(): void } {
  const reload = (actor: string): void => {
    void admin.reload(actor);
  };
  let closed = false;
  // It stays when the rest is closed: a SIGHUP that nobody hears would end a process that drains.
  process.on('SIGHUP', () => {
    if (!closed) reload('SIGHUP');
  });
  let timer: NodeJS.Timeout | undefined;
  const watcher = watchFolder(file, () => {
    clearTimeout(timer);
    timer = setTimeout(reload, QUIET_MS, 'file');
  });
  return {
    close: () => {
      clearTimeout(timer);
      watcher?.close();
      closed = true;
    },
  };
}

/**
 * Watches the folder, not the file: an editor that replaces the file would take the watch with it.
 * Without a watch (a full inotify table, a folder that is gone) SIGHUP still works.
 */
function watchFolder(file: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === basename(file) || name === CONFIG_MAP_LINK) onChange();
    });
    watcher.on('error', () => {
      watcher.close();
    });
    return watcher;
  } catch {
    return undefined;
  }
}
