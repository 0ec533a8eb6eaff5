import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LogOutput } from '../../src/telemetry/log-output.js';
import { textMember } from '../../src/telemetry/line-text.js';

let written: string[];
/** What the reader takes in all before it takes no more. */
let room: number;
let failure: string;

const output = (): LogOutput =>
  new LogOutput((bytes) => {
    if (room === 0) throw Object.assign(new Error(failure), { code: failure });
    const taken = Math.min(room, bytes.length);
    room -= taken;
    written.push(Buffer.from(bytes.subarray(0, taken)).toString('latin1'));
    return taken;
  });

const line = (n: number): string => `${String(n).padStart(99, '0')}\n`;
const MB = 1024 * 1024;

beforeEach(() => {
  written = [];
  room = Infinity;
  failure = 'EAGAIN';
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
  for (let i = 0; i < 82; i += 1) lines.write(line(7));
  expect(written).toEqual([line(7).repeat(82)]);
  expect(vi.getTimerCount()).toBe(0);
});

test('what is left is written at the end', () => {
  const lines = output();
  lines.write('last\n');
  lines.end();
  expect(written).toEqual(['last\n']);
  expect(vi.getTimerCount()).toBe(0);
});

describe('a reader that is slow', () => {
  test('gets every byte, in order', () => {
    const lines = output();
    room = 10_001;
    let expected = '';
    for (let i = 0; i < 3_000; i += 1) {
      lines.write(line(i));
      expected += line(i);
    }
    for (let i = 0; i < 100; i += 1) {
      room += 3_001;
      vi.advanceTimersByTime(20);
    }
    expect(written.join('')).toBe(expected);
    expect(lines.dropped).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not asked again for every line', () => {
    let tries = 0;
    const lines = new LogOutput(() => {
      tries += 1;
      throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    });
    for (let i = 0; i < 3_000; i += 1) lines.write(line(i));
    expect(tries).toBe(1);
  });

  test('and stands still: 4 MB are kept, then lines are dropped, and one line counts them', () => {
    const lines = output();
    room = 0;
    const all = Math.ceil((5 * MB) / 100);
    for (let i = 0; i < all; i += 1) lines.write(line(i));
    const kept = Math.floor((4 * MB) / 100);
    expect(lines.dropped).toBe(all - kept);
    room = 1_000;
    vi.advanceTimersByTime(20);
    lines.write('in the gap\n');
    room = Infinity;
    vi.advanceTimersByTime(20);
    lines.write('after\n');
    vi.advanceTimersByTime(100);
    const got = written.join('').trimEnd().split('\n');
    expect(got).toHaveLength(kept + 2);
    expect(got[kept - 1]).toBe(line(kept - 1).trimEnd());
    expect(JSON.parse(got[kept] ?? '')).toMatchObject({
      level: 'warn',
      event: 'log_lines_dropped',
      dropped: all - kept + 1,
    });
    expect(got[kept + 1]).toBe('after');
  });

  test('is waited for at the end while it takes something', () => {
    let tries = 0;
    const lines = new LogOutput((bytes) => {
      tries += 1;
      if (tries % 2 === 1) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
      const taken = Math.min(50, bytes.length);
      written.push(Buffer.from(bytes.subarray(0, taken)).toString());
      return taken;
    });
    lines.write(line(1));
    lines.write(line(2));
    lines.end();
    expect(written.join('')).toBe(line(1) + line(2));
  });

  test('is given up at the end when it takes nothing', () => {
    const lines = output();
    room = 0;
    lines.write('last\n');
    lines.end();
    expect(written).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a disk that is full is tried again', () => {
  failure = 'ENOSPC';
  room = 0;
  const lines = output();
  lines.write('a\n');
  vi.advanceTimersByTime(100);
  room = Infinity;
  vi.advanceTimersByTime(20);
  expect(written).toEqual(['a\n']);
});

test('a reader that has gone is never written to again', () => {
  failure = 'EPIPE';
  room = 0;
  const lines = output();
  lines.write('a\n');
  vi.advanceTimersByTime(100);
  room = Infinity;
  lines.write('b\n');
  vi.advanceTimersByTime(1_000);
  lines.end();
  expect(written).toEqual([]);
  expect(lines.dropped).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('a text of the outside stays one JSON string, cut', () => {
  const read = (value: string): unknown =>
    (JSON.parse(`{"level":"info"${textMember('call_id', value)}}`) as { call_id: string }).call_id;
  for (const text of ['c-1', '"', '\\', 'a\nb', '\ud800', '\u2028', 'é']) {
    expect(read(text)).toBe(text);
  }
  expect(read('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
});
