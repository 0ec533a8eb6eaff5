// An agent on Gemini's generateContent; its tools run behind Toolgate. Nothing but Node.
//
//     GEMINI_API_KEY=... npx tsx gemini-agent.ts "What is the weather in Oslo?"
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

interface Content {
  role: string;
  parts: { text?: string; functionCall?: unknown }[];
}
interface Answer {
  candidates: [{ content: Content }];
}
interface Batch {
  results: { error_info: { retryable: boolean; retry_after_ms: number | null } | null }[];
  messages: Content[];
}

const { env } = process;
const GATEWAY = env['TOOLGATE_URL'] ?? 'http://127.0.0.1:8080';
const GATEWAY_KEY = env['TOOLGATE_KEY'];
const PROVIDER = env['GEMINI_BASE_URL'] ?? 'https://generativelanguage.googleapis.com';
const PROVIDER_KEY = env['GEMINI_API_KEY'];
const MODEL = env['MODEL'] ?? 'gemini-3-pro-preview';
const MAX_TURNS = 10;
const MAX_WAIT_MS = 30_000;

/** POSTs JSON (GETs without a body) and returns the JSON of the answer. */
async function send<T>(url: string, key: string | undefined, body?: unknown): Promise<T> {
  const headers = {
    'content-type': 'application/json',
    // The gateway takes the one, the provider the other.
    ...(key === undefined ? {} : { 'x-api-key': key, 'x-goog-api-key': key }),
  };
  const request =
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(url, request);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** A model cannot wait: where a call may be repeated at a given time, we wait for it. */
async function waitAsAdvised({ results }: Batch): Promise<void> {
  const waits = results.map(({ error_info: info }) =>
    info?.retryable === true ? (info.retry_after_ms ?? 0) : 0,
  );
  await sleep(Math.min(Math.max(...waits), MAX_WAIT_MS));
}

/** Asks until the model has no more calls; returns its last words. */
async function run(question: string): Promise<string> {
  const runId = randomUUID(); // the gateway's budgets span all turns of one run
  const { tools } = await send<{ tools: unknown[] }>(
    `${GATEWAY}/v1/tools?format=gemini`,
    GATEWAY_KEY,
  );
  const contents: Content[] = [{ role: 'user', parts: [{ text: question }] }];
  const url = `${PROVIDER}/v1beta/models/${MODEL}:generateContent`;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const answer = await send<Answer>(url, PROVIDER_KEY, { contents, tools });
    const { content } = answer.candidates[0];
    contents.push(content);
    if (!content.parts.some((part) => part.functionCall !== undefined)) {
      return content.parts.map(({ text }) => text ?? '').join('');
    }
    const batch = await send<Batch>(
      `${GATEWAY}/v1/tool-calls?run_id=${runId}`,
      GATEWAY_KEY,
      answer,
    );
    contents.push(...batch.messages);
    await waitAsAdvised(batch);
  }
  return 'I ran out of turns.';
}

const question = process.argv.slice(2).join(' ');
console.log(await run(question || 'How is the weather in Oslo? And cancel booking b-17.'));
