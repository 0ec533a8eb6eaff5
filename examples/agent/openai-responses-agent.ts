// An agent on OpenAI's Responses API; its tools run behind Toolgate. Nothing but Node.
//
//     OPENAI_API_KEY=... npx tsx openai-responses-agent.ts "What is the weather in Oslo?"
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

interface Item {
  type?: string;
  role?: string;
  content?: unknown;
}
interface Response {
  output: Item[];
}
interface Batch {
  results: { error_info: { retryable: boolean; retry_after_ms: number | null } | null }[];
  messages: Item[];
}

const { env } = process;
const GATEWAY = env['TOOLGATE_URL'] ?? 'http://127.0.0.1:8080';
const GATEWAY_KEY = env['TOOLGATE_KEY'];
const PROVIDER = env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1';
const PROVIDER_KEY = env['OPENAI_API_KEY'];
const MODEL = env['MODEL'] ?? 'gpt-5.1';
const MAX_TURNS = 10;
const MAX_WAIT_MS = 30_000;

/** POSTs JSON (GETs without a body) and returns the JSON of the answer. */
async function send<T>(url: string, key: string | undefined, body?: unknown): Promise<T> {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
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
    `${GATEWAY}/v1/tools?format=openai-responses`,
    GATEWAY_KEY,
  );
  const items: Item[] = [{ role: 'user', content: question }];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const request = { model: MODEL, input: items, tools };
    const response = await send<Response>(`${PROVIDER}/responses`, PROVIDER_KEY, request);
    items.push(...response.output);
    if (!response.output.some(({ type }) => type === 'function_call')) {
      const last = response.output.findLast(({ type }) => type === 'message');
      return (last?.content as [{ text: string }])[0].text;
    }
    const batch = await send<Batch>(
      `${GATEWAY}/v1/tool-calls?run_id=${runId}`,
      GATEWAY_KEY,
      response,
    );
    items.push(...batch.messages);
    await waitAsAdvised(batch);
  }
  return 'I ran out of turns.';
}

const question = process.argv.slice(2).join(' ');
console.log(await run(question || 'How is the weather in Oslo? And cancel booking b-17.'));
