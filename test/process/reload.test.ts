// What reads the configuration again, where the watch on its folder cannot be had.
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import type { Admin } from '../../src/plugins/admin.js';
import { reloadOnChange } from '../../src/reload.js';

it('a folder that cannot be watched leaves SIGHUP', () => {
  const reload = vi.fn(() => Promise.resolve({ ok: true as const }));
  const watch = reloadOnChange(join(tmpdir(), 'toolgate-no-such-folder', 'a.yaml'), {
    reload,
  } as unknown as Admin);
  process.emit('SIGHUP');
  expect(reload).toHaveBeenCalledWith('SIGHUP');
  watch.close();
  process.emit('SIGHUP');
  expect(reload).toHaveBeenCalledTimes(1);
});
