// The client loop of an agent, on what Node has built in.
// Post the calls, read each error_info, and do what it says: wait, fix, fall back or stop.
//
//     npx tsx client.ts [calls.json]        TOOLGATE_URL, TOOLGATE_KEY from the environment
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

interface Target {
  tool: string;
  arguments: Record<string, unknown>;
}
interface Call extends Target {
  id: string;
  fallback?: Target;
}
interface ErrorInfo {
  code: string;
  category: string;
  message: string;
  retryable: boolean;
  retry_after_ms: number | null;
  effect: 'not_sent' | 'completed' | 'unknown';
  details: { suggestions?: string[]; errors?: Record<string, string> };
}
type Result =
  | { status: 'ok'; result: unknown; error_info: null }
  | { status: 'error' | 'declined'; result: null; error_info: ErrorInfo };
interface Decision {
  word: string;
  next?: Call;
  waitMs?: number;
}

const ENDPOINT = `${process.env['TOOLGATE_URL'] ?? 'http://127.0.0.1:8080'}/v1/tool-calls`;
const KEY = process.env['TOOLGATE_KEY'];
const MAX_ROUNDS = 4; // how often one call is sent at most
const PATIENCE_MS = 3000; // a longer wait is not worth it: fall back instead

/** Sends one batch; an envelope that was refused for a time is sent again when it may be. */
async function post(calls: Call[]): Promise<Result[]> {
  const body = JSON.stringify({ calls: calls.map(({ fallback: _, ...call }) => call) });
  const headers = {
    'content-type': 'application/json',
    ...(KEY === undefined ? {} : { authorization: `Bearer ${KEY}` }),
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = await fetch(ENDPOINT, { method: 'POST', headers, body });
    if (answer.ok) return ((await answer.json()) as { results: Result[] }).results;
    const { error_info: info } = (await answer.json()) as { error_info: ErrorInfo };
    if (!info.retryable) throw new Error(`batch refused: ${info.code} ${info.message}`);
    await sleep(info.retry_after_ms ?? 500);
  }
  throw new Error('the gateway kept refusing the batch');
}

/** Mends a call as a model would, told by the details; undefined when it cannot. */
function fix(call: Call, { category, code, details }: ErrorInfo): Call | undefined {
  const name = details.suggestions?.[0];
  if (category === 'not_found' && name !== undefined) return { ...call, tool: name };
  if (code === 'TOOL_ARGUMENT_ERROR' && details.errors?.['/days']?.includes('integer')) {
    return { ...call, arguments: { ...call.arguments, days: Number(call.arguments['days']) } };
  }
  return undefined;
}

/** What becomes of a call that has been sent `sent` times. */
function decide(call: Call, result: Result, sent: number): Decision {
  if (result.status === 'ok') return { word: `ok ${JSON.stringify(result.result)}` };
  const info = result.error_info;
  if (result.status === 'declined') return { word: `declined: ${info.message}` };
  if (info.retryable && sent < MAX_ROUNDS) {
    const waitMs = info.retry_after_ms ?? 100 * 2 ** sent;
    if (waitMs <= PATIENCE_MS) return { word: `wait ${waitMs} ms (${info.code})`, next: call, waitMs };
  }
  if (!info.retryable && info.effect === 'unknown') {
    // It may have happened. Neither the same call nor another way to the same end is safe.
    return { word: `stop, it may have happened, ask a person (${info.code})` };
  }
  const mended = sent < MAX_ROUNDS ? fix(call, info) : undefined;
  if (mended !== undefined) return { word: `fix (${info.code})`, next: mended };
  if (call.fallback !== undefined) {
    const next = { id: call.id, ...call.fallback };
    return { word: `fall back to ${next.tool} (${info.code})`, next };
  }
  return { word: `stop (${info.code}): ${info.message}` };
}

const file = process.argv[2] ?? new URL('../calls.json', import.meta.url);
let calls = JSON.parse(await readFile(file, 'utf8')) as Call[];
const sent = new Map<string, number>();
while (calls.length > 0) {
  const results = await post(calls);
  const decisions = calls.map((call, index) => {
    const times = (sent.get(call.id) ?? 0) + 1;
    sent.set(call.id, times);
    const decision = decide(call, results[index]!, times);
    console.log(`${call.id}: ${decision.word}`);
    return decision;
  });
  calls = decisions.flatMap(({ next }) => (next === undefined ? [] : [next]));
  await sleep(Math.max(...decisions.map(({ waitMs }) => waitMs ?? 0)));
}
