import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gatheredOutput } from '../../src/telemetry/log-output.js';
import { textMember } from '../../src/telemetry/line-text.js';

let written: string[];
const output = (): ReturnType<typeof gatheredOutput> =>
  gatheredOutput({ write: (text) => void written.push(text) });

beforeEach(() => {
  written = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('lines are written together, in order, a tenth of a second after the first', () => {
  const lines = output();
  lines.write('a\n');
  vi.advanceTimersByTime(60);
  lines.write('b\n');
  vi.advanceTimersByTime(39);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(written).toEqual(['a\nb\n']);
  lines.write('c\n');
  vi.advanceTimersByTime(100);
  expect(written).toEqual(['a\nb\n', 'c\n']);
  expect(vi.getTimerCount()).toBe(0);
});

test('8 kB are not waited with', () => {
  const lines = output();
  const line = `${'x'.repeat(99)}\n`;
  for (let i = 0; i < 82; i += 1) lines.write(line);
  expect(written).toEqual([line.repeat(82)]);
  expect(vi.getTimerCount()).toBe(0);
});

test('what is left is written when the process exits, however it comes to that', () => {
  const before = new Set(process.listeners('exit'));
  output().write('last\n');
  const added = process.listeners('exit').filter((listener) => !before.has(listener));
  for (const listener of added) listener.call(process, 0);
  expect(written).toEqual(['last\n']);
});

test('a text of the outside stays one JSON string, cut', () => {
  const read = (value: string): unknown =>
    (JSON.parse(`{"level":"info"${textMember('call_id', value)}}`) as { call_id: string }).call_id;
  for (const text of ['c-1', '"', '\\', 'a\nb', '\ud800', '\u2028', 'é']) {
    expect(read(text)).toBe(text);
  }
  expect(read('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
});
