// Calls over streamable HTTP to a server that misbehaves: each fault is told as what it was.
import { describe, expect, it } from 'vitest';
import {
  type Exchange,
  type FaultyOptions,
  type FaultyServer,
  startFaultyServer,
} from '../../fixtures/mcp/faulty-http.js';
import { codeOf, type Harness, http, onEnd, startServer, until, valueOf } from './setup.js';

async function faulty(
  options: FaultyOptions | ((exchange: Exchange, index: number) => void),
  definition: Parameters<typeof startServer>[1] = {},
): Promise<Harness & { upstream: FaultyServer }> {
  const upstream = await startFaultyServer(
    typeof options === 'function' ? { onCall: options } : options,
  );
  onEnd(() => upstream.close());
  return { ...startServer(http(upstream.url), definition), upstream };
}

const TEXT = (text: string, more: object = {}) => ({ content: [{ type: 'text', text }], ...more });

describe('results', () => {
  it('gives content and structuredContent as they came', async () => {
    const content = [
      { type: 'text', text: 'a', annotations: { priority: 1 } },
      { type: 'resource', resource: { uri: 'x://y', blob: 'AAAA' } },
    ];
    const { call } = await faulty((exchange) =>
      exchange.result({ content, structuredContent: { id: 7 }, isError: false }),
    );
    expect(valueOf(await call('t').outcome)).toEqual({ content, structuredContent: { id: 7 } });
  });

  it('keeps a structuredContent that is falsy', async () => {
    const { call } = await faulty((exchange) =>
      exchange.result({ content: [], structuredContent: 0, resultType: 'complete' }),
    );
    expect(valueOf(await call('t').outcome)).toEqual({ content: [], structuredContent: 0 });
  });

  it('never takes isError for a success (C10)', async () => {
    const { call, upstream } = await faulty((exchange, index) =>
      exchange.result(
        index === 0 ? TEXT('no such file', { isError: true }) : { content: [], isError: true },
      ),
    );
    const outcome = await call('t').outcome;
    expect(outcome).toEqual({ kind: 'mcp-result', problem: 'is_error', text: 'no such file' });
    const { info, breaker } = codeOf(outcome);
    expect(info).toMatchObject({
      code: 'TOOL_EXECUTION_FAILED',
      retryable: false,
      effect: 'completed',
    });
    expect(breaker).toBe('success');
    const empty = await call('t').outcome;
    expect(codeOf(empty).info.message).not.toBe('');
    expect(upstream.toolCalls).toBe(2);
  });

  it('takes no number in prose for a status (C07)', async () => {
    const { call } = await faulty((exchange) =>
      exchange.result(TEXT('timeout column is required; 429 rows', { isError: true })),
    );
    const { info, breaker } = codeOf(await call('t').outcome);
    expect(info).toMatchObject({ code: 'TOOL_EXECUTION_FAILED', retryable: false });
    expect(breaker).toBe('success');
  });

  it('is not harmed by domain errors: six of them, then an answer (C13)', async () => {
    const { call } = await faulty((exchange, index) =>
      exchange.result(TEXT('anchor not found', { isError: index < 6 })),
    );
    const outcomes = [];
    for (let index = 0; index < 7; index += 1) outcomes.push(await call('t').outcome);
    expect(outcomes.slice(0, 6).map((outcome) => codeOf(outcome).breaker)).toEqual(
      Array(6).fill('success'),
    );
    expect(outcomes[6]?.kind).toBe('ok');
  });

  it('keeps structuredContent.error_info of a failed call', async () => {
    const structuredContent = { error_info: { code: 'X' } };
    const { call } = await faulty((exchange) =>
      exchange.result(TEXT('no', { isError: true, structuredContent })),
    );
    expect(await call('t').outcome).toMatchObject({ structuredContent });
  });

  it.each([
    ['input_required', { resultType: 'input_required', inputRequests: {} }, 'TOOL_INPUT_REQUIRED'],
    ['unknown_result_type', { resultType: 'task', content: [] }, 'TOOL_RESULT_ERROR'],
    ['not_a_result', { answer: 42 }, 'TOOL_RESULT_ERROR'],
    ['not_a_result', { content: ['bare'] }, 'TOOL_RESULT_ERROR'],
    ['not_a_result', null, 'TOOL_RESULT_ERROR'],
  ])('says %s', async (problem, result, code) => {
    const { call } = await faulty((exchange) => exchange.result(result));
    const outcome = await call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'mcp-result', problem });
    expect(codeOf(outcome).info.code).toBe(code);
  });
});

describe('output schema (C21)', () => {
  const result = TEXT('created T-7', { structuredContent: { id: 'T-7' } });
  const options = {
    tool: { outputSchema: { type: 'object' } },
    validateOutput: (value: unknown) =>
      typeof (value as { id: unknown }).id === 'number' ? undefined : { '/id': 'must be number' },
  };

  it('reports the mismatch as the result’s, with the content kept', async () => {
    const { call, upstream } = await faulty((exchange) => exchange.result(result));
    const outcome = await call('t', {}, options).outcome;
    expect(outcome).toMatchObject({
      kind: 'result-invalid',
      problem: 'schema',
      errors: { '/id': 'must be number' },
      content: result.content,
    });
    const { info, breaker } = codeOf(outcome);
    expect(info).toMatchObject({
      code: 'TOOL_RESULT_ERROR',
      retryable: false,
      effect: 'completed',
      details: { validation_type: 'result' },
    });
    expect(breaker).toBe('success');
    expect(upstream.toolCalls).toBe(1);
  });

  it('lets it pass with a warning where the tool says so', async () => {
    const { call } = await faulty((exchange) => exchange.result(result));
    const outcome = await call('t', {}, { ...options, result: { validation: 'warn' } }).outcome;
    expect(outcome).toMatchObject({ kind: 'ok', warnings: ['TOOL_RESULT_ERROR'] });
  });

  it('misses structured content that was promised', async () => {
    const { call } = await faulty((exchange) => exchange.result(TEXT('only text')));
    const outcome = await call('t', {}, options).outcome;
    expect(outcome).toMatchObject({ kind: 'result-invalid', problem: 'schema' });
  });
});

describe('no usable answer', () => {
  it('does not wait where the stream ends without one (C18)', async () => {
    const { call, upstream } = await faulty(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      setTimeout(() => response.end(), 50);
    });
    const outcome = await call('t').outcome;
    expect(outcome).toEqual({ kind: 'mcp-connection', problem: 'stream_ended' });
    const { info, breaker } = codeOf(outcome);
    expect(info).toMatchObject({
      code: 'MCP_TRANSPORT_ERROR',
      retryable: false,
      effect: 'unknown',
      details: { transient: true, server_name: 'srv' },
    });
    expect(breaker).toBe('failure');
    expect(codeOf(outcome, true).info.retryable).toBe(true);
    expect(upstream.toolCalls).toBe(1);
  });

  it('gives each attempt an id of its own', async () => {
    const { call, upstream } = await faulty((exchange) => exchange.result({ content: [] }));
    await call('t').outcome;
    await call('t').outcome;
    expect(new Set(upstream.requestIds).size).toBe(2);
  });

  it.each(['stream', 'body'])(
    'lets the timer decide where a foreign id came in a %s (C18)',
    async (kind) => {
      const { call } = await faulty((exchange) => {
        const foreign = { jsonrpc: '2.0', id: 4711, result: { content: [] } };
        if (kind === 'body') exchange.raw(200, {}, JSON.stringify(foreign));
        else {
          exchange.stream()(foreign);
          exchange.response.end();
        }
      });
      const outcome = await call('t', {}, { timeoutMs: 300 }).outcome;
      expect(outcome).toMatchObject({ kind: 'timeout', scope: 'attempt' });
      expect(codeOf(outcome).info.code).toBe('MCP_TIMEOUT');
    },
  );

  it('says so of a 202', async () => {
    const { call } = await faulty((exchange) => exchange.raw(202, {}, ''));
    const outcome = await call('t').outcome;
    expect(outcome).toEqual({ kind: 'mcp-connection', problem: 'accepted_without_answer' });
  });

  it.each([
    ['HTML', { 'content-type': 'text/html' }, '<html>CANARY</html>'],
    ['broken JSON', { 'content-type': 'application/json' }, '{"jsonrpc":"2.0","id":'],
    ['nothing', {}, ''],
    ['an answer to nobody', { 'content-type': 'application/json' }, '{"hello":"world"}'],
  ])('says so of %s', async (_, headers, body) => {
    const { call } = await faulty((exchange) => exchange.raw(200, headers, body));
    const outcome = await call('t').outcome;
    expect(outcome).toEqual({ kind: 'mcp-connection', problem: 'not_json' });
    expect(codeOf(outcome).info).toMatchObject({ code: 'MCP_TRANSPORT_ERROR', retryable: false });
  });

  it('tells a connection that breaks before, and within, an answer', async () => {
    const { call } = await faulty(({ response }, index) => {
      if (index === 0) response.socket?.destroy();
      else {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"jsonrpc"');
        setTimeout(() => response.socket?.destroy(), 20);
      }
    });
    const before = await call('t').outcome;
    expect(before).toMatchObject({ kind: 'transport', phase: 'awaiting_headers' });
    const within = await call('t').outcome;
    expect(within).toMatchObject({ kind: 'transport', phase: 'reading_body' });
    for (const outcome of [before, within]) {
      expect(codeOf(outcome).info).toMatchObject({
        code: 'MCP_TRANSPORT_ERROR',
        effect: 'unknown',
      });
    }
  });

  it('knows that a server which is gone was never sent the call', async () => {
    const { call, upstream, server } = await faulty((exchange) => exchange.result({ content: [] }));
    await call('t').outcome;
    await upstream.close();
    // The first may still meet the socket that the server left behind.
    await call('t').outcome;
    const outcome = await call('t').outcome;
    expect(codeOf(outcome).info).toMatchObject({
      code: 'MCP_CONNECTION_FAILED',
      effect: 'not_sent',
    });
    expect(server.status().state).not.toBe('connected');
  });
});

describe('HTTP statuses', () => {
  it('keeps Retry-After of a 429', async () => {
    const { call } = await faulty((exchange) =>
      exchange.raw(429, { 'retry-after': '7' }, 'slow down'),
    );
    const outcome = await call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'response', status: 429, body: 'slow down' });
    expect(codeOf(outcome).info).toMatchObject({ code: 'TOOL_RATE_LIMITED', retry_after_ms: 7000 });
  });

  it.each([
    [401, {}, 'UPSTREAM_AUTH_FAILED', 'not_sent'],
    [
      403,
      { 'www-authenticate': 'Bearer error="insufficient_scope"' },
      'UPSTREAM_AUTH_FAILED',
      'not_sent',
    ],
    [500, {}, 'MCP_SERVER_ERROR', 'unknown'],
    [504, {}, 'MCP_TIMEOUT', 'unknown'],
    [503, {}, 'UPSTREAM_UNAVAILABLE', 'unknown'],
    [302, { location: 'http://127.0.0.2/' }, 'UPSTREAM_REJECTED', 'completed'],
  ])('%i', async (status, headers, code, effect) => {
    const { call } = await faulty((exchange) => exchange.raw(status, headers, 'no'));
    const outcome = await call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'response', status });
    expect(codeOf(outcome).info).toMatchObject({ code, effect });
  });

  it('follows a redirect that keeps method and origin', async () => {
    const { call } = await faulty((exchange, index) => {
      if (index === 0) exchange.raw(307, { location: '/mcp/' }, '');
      else exchange.result(TEXT('there'));
    });
    expect(valueOf(await call('t').outcome)).toEqual(TEXT('there'));
  });

  it('reads no more of an error body than the limit', async () => {
    const { call } = await faulty((exchange) => exchange.raw(500, {}, 'e'.repeat(1_000_000)));
    const outcome = await call('t').outcome;
    expect(outcome).toMatchObject({ kind: 'response', bodyTruncated: true });
    expect((outcome as { body: string }).body).toHaveLength(65_536);
  });
});

describe('JSON-RPC errors', () => {
  it.each([
    [-32700, 'MCP_SERVER_ERROR'],
    [-32601, 'CONFIGURATION_ERROR'],
    [-32603, 'MCP_SERVER_ERROR'],
    [-32042, 'TOOL_INPUT_REQUIRED'],
    [-32001, 'MCP_SERVER_ERROR'],
  ])('%i', async (code, expected) => {
    const { call } = await faulty((exchange) => exchange.error(code, 'no', { detail: 1 }));
    const outcome = await call('t').outcome;
    expect(outcome).toEqual({ kind: 'mcp-error', code, message: 'no', data: { detail: 1 } });
    expect(codeOf(outcome).info.code).toBe(expected);
  });

  it('asks a fresh list what -32602 means', async () => {
    const { call } = await faulty({
      onCall: (exchange) => exchange.error(-32602, 'invalid'),
      tools: () => ({ tools: [{ name: 'there', inputSchema: { type: 'object' } }] }),
    });
    const there = await call('there').outcome;
    expect(there).toMatchObject({ kind: 'mcp-error', toolListed: true });
    expect(codeOf(there).info.code).toBe('TOOL_ARGUMENT_ERROR');
    const gone = await call('gone').outcome;
    expect(gone).toMatchObject({ kind: 'mcp-error', toolListed: false });
    expect(codeOf(gone).info.code).toBe('TOOL_NOT_FOUND');
  });

  it('leaves the question open where the list is not given', async () => {
    const { call } = await faulty({
      onMessage: (exchange) => {
        if (exchange.method !== 'tools/list') return false;
        exchange.error(-32603, 'no list');
        return true;
      },
      onCall: (exchange) => exchange.error(-32602, 'invalid'),
    });
    expect(await call('t').outcome).not.toHaveProperty('toolListed');
  });
});

describe('size', () => {
  const big = (bytes: number) => TEXT('x'.repeat(bytes));

  it('stops a 50 MB answer at the limit, declared, chunked or streamed', async () => {
    const { call } = await faulty((exchange, index) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: exchange.id, result: big(50_000_000) });
      if (index === 0) {
        exchange.raw(200, { 'content-length': String(body.length) }, body);
      } else if (index === 1) {
        exchange.response.writeHead(200, { 'content-type': 'application/json' });
        for (let at = 0; at < body.length; at += 1_000_000) {
          exchange.response.write(body.slice(at, at + 1_000_000));
        }
        exchange.response.end();
      } else {
        exchange.stream()({ jsonrpc: '2.0', id: exchange.id, result: big(50_000_000) });
      }
    });
    const declared = await call('t').outcome;
    expect(declared).toMatchObject({ kind: 'result-too-large', limitBytes: 1_048_576 });
    expect((declared as { sizeBytes: number }).sizeBytes).toBeGreaterThan(50_000_000);
    for (let index = 1; index < 3; index += 1) {
      expect(await call('t').outcome).toMatchObject({ kind: 'result-too-large', sizeBytes: null });
    }
  });

  it('lets many small events through whose sum is over the limit', async () => {
    const { call } = await faulty((exchange) => {
      const write = exchange.stream();
      const params = { progressToken: exchange.id, progress: 1, message: 'm'.repeat(500) };
      for (let index = 0; index < 20; index += 1) {
        write({ jsonrpc: '2.0', method: 'notifications/progress', params });
      }
      write({ jsonrpc: '2.0', id: exchange.id, result: TEXT('done') });
      exchange.response.end();
    });
    const outcome = await call('t', {}, { result: { maxBytes: 2_000 } }).outcome;
    expect(valueOf(outcome)).toEqual(TEXT('done'));
  });

  it('cuts the text where the tool asks for it', async () => {
    const { call } = await faulty((exchange) => exchange.result(TEXT('å'.repeat(5_000))));
    const outcome = await call('t', {}, { result: { maxBytes: 2_001, onOversize: 'truncate' } })
      .outcome;
    expect(valueOf(outcome)).toEqual(TEXT('å'.repeat(1_000)));
    expect((outcome as { truncatedFromBytes: number }).truncatedFromBytes).toBeGreaterThan(10_000);
  });
});

describe('what goes out', () => {
  it('carries the trace, the key, and the headers that are forwarded', async () => {
    const seen: Exchange[] = [];
    const { call } = await faulty((exchange) => {
      seen.push(exchange);
      exchange.result({ content: [] });
    });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const running = call(
      't',
      { a: 1 },
      {
        idempotencyKey: 'k-1',
        tool: { idempotency: { header: 'Idempotency-Key', ttlMs: 1 } },
        ctx: { traceparent, forwardHeaders: { 'x-gateway-attempt': '1' }, keySent: true },
      },
    );
    expect((await running.outcome).kind).toBe('ok');
    const [exchange] = seen;
    expect(exchange?.params).toMatchObject({
      name: 't',
      arguments: { a: 1 },
      _meta: { traceparent },
    });
    expect(exchange?.request.headers).toMatchObject({
      'idempotency-key': 'k-1',
      'x-gateway-attempt': '1',
      traceparent,
    });
    expect(running.attempt.ctx.keySent).toBe(true);
  });

  it('carries a key that cannot stand in a header, encoded', async () => {
    const seen: Exchange[] = [];
    const { call } = await faulty((exchange) => {
      seen.push(exchange);
      exchange.result({ content: [] });
    });
    const running = call(
      't',
      {},
      {
        idempotencyKey: 'ключ',
        tool: { idempotency: { header: 'Idempotency-Key', ttlMs: 1 } },
        ctx: { keySent: true },
      },
    );
    expect((await running.outcome).kind).toBe('ok');
    expect(seen[0]?.request.headers['idempotency-key']).toBe(encodeURIComponent('ключ'));
  });
});

describe('stopping', () => {
  it('tells the server and closes the POST', async () => {
    let closed = false;
    const { call, upstream } = await faulty(({ response }) => {
      response.on('close', () => (closed = true));
    });
    const { outcome, attempt } = call('t');
    await until(() => upstream.toolCalls === 1, 'the call arrived');
    attempt.abort({ kind: 'cancelled', reason: 'client_left' });
    expect(await outcome).toEqual({
      kind: 'cancelled',
      reason: 'client_left',
      phase: 'awaiting_headers',
    });
    await until(() => closed && upstream.cancelled.length === 1, 'POST closed, server told');
    expect(upstream.cancelled).toEqual(upstream.requestIds);
  });

  it('does not resume a stream that was given up', async () => {
    let resumptions = 0;
    const { call, upstream } = await faulty({
      onGet: (request, response) => {
        if (request.headers['last-event-id'] !== undefined) resumptions += 1;
        response.writeHead(405).end();
      },
      onCall: (exchange) => {
        exchange.stream()(
          { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } },
          'e1',
        );
      },
    });
    const { outcome, attempt } = call('t');
    await until(() => upstream.toolCalls === 1, 'the call arrived');
    await new Promise((resolve) => setTimeout(resolve, 30));
    attempt.abort({ kind: 'cancelled', reason: 'client_left' });
    await outcome;
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect(resumptions).toBe(0);
  });

  it('resumes a stream that the server broke off and left an event id for', async () => {
    const { call, upstream } = await faulty({
      onGet: (request, response) => {
        if (request.headers['last-event-id'] !== 'e1') {
          response.writeHead(405).end();
          return;
        }
        const message = { jsonrpc: '2.0', id: upstream.requestIds[0], result: TEXT('resumed') };
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`id: e2\ndata: ${JSON.stringify(message)}\n\n`);
      },
      onCall: ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('id: e1\nretry: 20\ndata:\n\n');
      },
    });
    expect(valueOf(await call('t').outcome)).toEqual(TEXT('resumed'));
  });

  it('stops waiting for a handshake, and has sent nothing', async () => {
    const { call } = await faulty({ onMessage: () => true });
    const outcome = await call('t', {}, { timeoutMs: 50 }).outcome;
    expect(outcome).toMatchObject({ kind: 'timeout', phase: 'connecting' });
  });
});

describe('progress', () => {
  it('restarts the idle timer, and is passed on scrubbed', async () => {
    const { call } = await faulty(
      (exchange) => {
        const write = exchange.stream();
        let steps = 0;
        const timer = setInterval(() => {
          steps += 1;
          const params = { progressToken: exchange.id, progress: steps, message: 'CANARY' };
          write({ jsonrpc: '2.0', method: 'notifications/progress', params });
          if (steps < 6) return;
          clearInterval(timer);
          write({ jsonrpc: '2.0', id: exchange.id, result: TEXT('done') });
          exchange.response.end();
        }, 100);
      },
      { idleTimeoutMs: 250 },
    );
    const progress: unknown[] = [];
    const { outcome } = call('t', {}, { ctx: { onProgress: (one) => progress.push(one) } });
    expect(valueOf(await outcome)).toEqual(TEXT('done'));
    expect(progress).toHaveLength(6);
    expect(progress[0]).toEqual({ progress: 1, message: '***' });
  });

  it('ends an attempt in silence', async () => {
    const { call, upstream } = await faulty(() => undefined, { idleTimeoutMs: 100 });
    const { outcome, attempt } = call('t');
    expect(await outcome).toMatchObject({ kind: 'timeout', scope: 'idle', timeoutMs: 100 });
    expect(attempt.aborted).toMatchObject({ scope: 'idle' });
    await until(() => upstream.cancelled.length === 1, 'the server is told');
  });
});
