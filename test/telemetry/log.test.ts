import { Writable } from 'node:stream';
import Fastify from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import { createScrubber } from '../../src/errors/scrub.js';
import {
  createLogger,
  parseLogLevel,
  type Logger,
  type LoggerOptions,
} from '../../src/telemetry/log.js';
import { logBatch, logCall } from '../../src/telemetry/log-lines.js';
import { info, result } from './fixtures/results.js';

const SECRET = 'hunter2-very-secret';

let text: string;
const lines = (): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const last = (): Record<string, unknown> => lines().at(-1) ?? {};

function logger(options: Partial<LoggerOptions> = {}): Logger {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return createLogger({ destination, ...options });
}

beforeEach(() => {
  text = '';
});

describe('the line of a batch', () => {
  test('has the ids, the client, counts by status and code and the duration', () => {
    logBatch(logger(), {
      batchId: 'b-1',
      requestId: 'r-1',
      runId: 'run-7',
      client: 'planner',
      results: [
        result('a'),
        result('a', 'TOOL_TIMEOUT'),
        result('b', 'TOOL_TIMEOUT'),
        result('b', 'TOOL_DECLINED'),
      ],
      durationMs: 12.3456,
    });
    const line = last();
    expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT/);
    delete line['time'];
    expect(line).toEqual({
      level: 'info',
      msg: 'batch',
      batch_id: 'b-1',
      request_id: 'r-1',
      run_id: 'run-7',
      client: 'planner',
      calls: 4,
      by_status: { ok: 1, error: 2, declined: 1 },
      by_code: { TOOL_TIMEOUT: 2, TOOL_DECLINED: 1 },
      duration_ms: 12.3,
    });
  });
});

describe('the line of a call', () => {
  const batch = { batchId: 'b-1', client: 'planner' };

  test('is written at its level: info for what callers mend, warn for the rest, debug for ok', () => {
    const log = logger({ level: 'debug' });
    const levels = {
      ok: result('t'),
      TOOL_ARGUMENT_ERROR: result('t', 'TOOL_ARGUMENT_ERROR'),
      TOOL_NOT_PERMITTED: result('t', 'TOOL_NOT_PERMITTED'),
      TOOL_DECLINED: result('t', 'TOOL_DECLINED'),
      TOOL_TIMEOUT: result('t', 'TOOL_TIMEOUT'),
      UPSTREAM_AUTH_FAILED: result('t', 'UPSTREAM_AUTH_FAILED'),
      INTERNAL_ERROR: result('t', 'INTERNAL_ERROR'),
    };
    for (const one of Object.values(levels)) logCall(log, batch, one);
    expect(lines().map(({ level }) => level)).toEqual([
      'debug',
      'info',
      'info',
      'info',
      'warn',
      'warn',
      'error',
    ]);
  });

  test('is not written for an ok call unless at debug', () => {
    const log = logger();
    logCall(log, batch, result('t'));
    expect(text).toBe('');
    log.level = 'debug';
    logCall(log, batch, result('t'));
    expect(last()['status']).toBe('ok');
  });

  test('says what happened in codes, never in the words of an upstream', () => {
    const errorInfo = info('TOOL_TIMEOUT', { reason: 'fair_use', effect: 'unknown' });
    errorInfo.details['retry_stopped_by'] = 'unsafe_to_repeat';
    errorInfo.details['upstream_text'] = 'upstream text';
    logCall(logger(), batch, result('t', 'TOOL_TIMEOUT', { errorInfo }));
    const line = last();
    delete line['time'];
    expect(line).toEqual({
      level: 'warn',
      msg: 'call',
      batch_id: 'b-1',
      call_id: 'c1',
      tool: 't',
      client: 'planner',
      status: 'error',
      code: 'TOOL_TIMEOUT',
      category: 'timeout',
      reason: 'fair_use',
      effect: 'unknown',
      retry_stopped_by: 'unsafe_to_repeat',
      attempts: 1,
      duration_ms: 12.3,
    });
  });

  test('leaves out a reason that is a sentence', () => {
    const errorInfo = info('TOOL_DECLINED', { reason: 'Your card 4111 was declined.' });
    logCall(logger(), batch, result('t', 'TOOL_DECLINED', { errorInfo }));
    expect(last()).not.toHaveProperty('reason');
  });
});

describe('what a line may carry', () => {
  test('is what stands in the list, small and plain', () => {
    const log = logger();
    log.info(
      {
        tool: 'x'.repeat(5000),
        code: { nested: 'object' },
        arguments: { password: 'p' },
        headers: { authorization: 'Bearer abc' },
        url: 'http://x/?token=1',
        by_code: { A: 1, B: 'text' },
        msg: 'sneaky',
      },
      'fields',
    );
    const line = last();
    expect(Object.keys(line).sort()).toEqual(['by_code', 'level', 'msg', 'time', 'tool']);
    expect(String(line['tool']).length).toBeLessThan(210);
    expect(line['by_code']).toEqual({ A: 1 });
    expect(line['msg']).toBe('fields');
  });

  test('holds for child loggers and their children', () => {
    const child = logger().child({ request_id: 'r-1', authorization: 'Bearer abc' });
    child.child({ tool: 't', cookie: 'c' }).info({ body: 'b' }, 'child');
    const line = last();
    delete line['time'];
    expect(line).toEqual({ level: 'info', request_id: 'r-1', tool: 't', msg: 'child' });
  });

  test('of an error is its name, its code and where it was thrown', () => {
    const error = Object.assign(new TypeError('cannot read "4111 1111"'), { code: 'ERR_X' });
    const log = logger();
    log.error(error);
    log.error({ err: error });
    log.error({ err: error }, error.message);
    log.error({ err: error }, `failed: ${error.message}`);
    expect(text).not.toContain('4111');
    for (const line of lines()) {
      expect(line['msg']).toBe('TypeError');
      expect(line['err']).toMatchObject({ name: 'TypeError', code: 'ERR_X' });
      expect(JSON.stringify(line['err'])).toContain('log.test.ts');
    }
  });

  test('of an error whose text is made to look like a stack is not that text', () => {
    const error = new Error('first\n    at /srv/card-4111:1:1\n    at secret (/srv/4112:1:1)');
    logger().error({ err: error }, 'failed');
    expect(text).not.toMatch(/411[12]/);
    const renamed = new Error('x\n    at secret (/srv/4113:1:1)');
    renamed.message = 'something else';
    logger().error({ err: renamed }, 'failed');
    expect(text).not.toContain('4113');
  });

  test('of a system error is its message as well: it holds names and addresses only', () => {
    const error = Object.assign(new Error('listen EADDRINUSE: address in use 127.0.0.1:8080'), {
      code: 'EADDRINUSE',
      errno: -98,
      syscall: 'listen',
    });
    logger().fatal({ err: error }, 'cannot listen');
    expect(last()['err']).toMatchObject({ message: error.message });
  });

  test('of what is thrown instead of an error is its type', () => {
    const hostile = new Proxy(new Error('x'), {
      get: () => {
        throw new Error('no');
      },
    });
    for (const thrown of ['text 4111', null, { secret: 4111 }, hostile]) {
      logger().error({ err: thrown }, 'thrown');
    }
    expect(text).not.toContain('4111');
    expect(lines()).toHaveLength(4);
  });
});

describe('the last look at a line', () => {
  test('takes secrets out of ids, names and messages and leaves JSON', () => {
    const scrubber = createScrubber([SECRET]);
    const log = logger({ scrubber: () => scrubber });
    const batch = { batchId: 'b', client: '' };
    logBatch(log, { ...batch, requestId: `id-${SECRET}`, results: [], durationMs: 1 });
    logBatch(log, { ...batch, runId: SECRET, results: [], durationMs: 1 });
    for (const [id, tool] of [
      [SECRET, 't'],
      ['c1', SECRET],
    ] as const) {
      logCall(log, batch, result(tool, 'TOOL_NOT_FOUND', { id }));
    }
    const errorInfo = info('TOOL_DECLINED', { reason: SECRET });
    logCall(log, batch, result('t', 'TOOL_DECLINED', { errorInfo }));
    expect(lines()).toHaveLength(5);
    log.info({ tool: SECRET }, `connected with ${SECRET}`);
    expect(text).not.toContain(SECRET);
    expect(lines().map(({ msg }) => msg)[0]).toBe('batch');
    expect(last()['msg']).toContain('connected with ');
  });

  test('is not left out for a line that follows one of the gateway', () => {
    const log = logger({ scrubber: () => createScrubber([SECRET]) });
    logBatch(log, { batchId: 'b', client: '', results: [], durationMs: 1 });
    log.info(SECRET);
    expect(text).not.toContain(SECRET);
  });

  test('follows a reload that brings a new secret', () => {
    let scrubber = createScrubber([]);
    const log = logger({ scrubber: () => scrubber });
    log.info(SECRET);
    expect(text).toContain(SECRET);
    text = '';
    scrubber = createScrubber([SECRET]);
    log.info(SECRET);
    expect(text).not.toContain(SECRET);
  });

  test('withholds a line that cannot be cleaned value by value', () => {
    // A scrubber that sees secrets in names of fields only: no value helps.
    const scrubber = {
      text: (line: string) => line.replace('"tool"', ''),
      value: <T>(value: T): T => value,
    };
    logger({ scrubber: () => scrubber }).info({ tool: 't' }, 'x');
    expect(last()['msg']).toBe('a log line was withheld: it held a secret');
  });
});

describe('the logger as a whole', () => {
  test('serves Fastify, whose own lines hold neither request nor error text', async () => {
    const app = Fastify({ loggerInstance: logger() });
    app.get('/', () => {
      throw new Error('upstream said 4111');
    });
    await app.inject({ url: '/?token=4111', headers: { authorization: 'Bearer 4111' } });
    await app.close();
    expect(lines().length).toBeGreaterThan(0);
    expect(text).not.toContain('4111');
  });

  test('reads LOG_LEVEL', () => {
    expect(parseLogLevel(undefined)).toBe('info');
    expect(parseLogLevel('')).toBe('info');
    expect(parseLogLevel('DEBUG')).toBe('debug');
    expect(parseLogLevel('loud')).toBeUndefined();
  });
});
