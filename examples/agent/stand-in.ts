// A scripted stand-in for the four providers' HTTP APIs, so that the agents here run without a key.
// Its "model" asks for the weather with a wrong argument and for a cancellation that is declined,
// corrects itself when it is told what was wrong, and then says what came of it. Like the real
// APIs it answers 400 when a call was not answered as the provider demands.
//
//     npx tsx stand-in.ts            prints the variables to set
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

interface Call {
  id: string;
  name: string;
  args: Record<string, unknown>;
}
interface Answer {
  id: string;
  text: string;
}
interface Provider<Body> {
  path: RegExp;
  /** Names of the tools on offer. */
  offered(body: Body): string[];
  /** Calls made so far and what was answered, both in order. */
  history(body: Body): { asked: string[]; answered: Answer[] };
  /** The model's next message. */
  reply(calls: Call[], text: string): unknown;
}

const openai: Provider<{
  tools: { function: { name: string } }[];
  messages: {
    role: string;
    content: string;
    tool_calls?: { id: string }[];
    tool_call_id: string;
  }[];
}> = {
    path: /^\/v1\/chat\/completions$/,
    offered: (body) => body.tools.map((tool) => tool.function.name),
    history: ({ messages }) => ({
      asked: messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.id)),
      answered: messages
        .filter((message) => message.role === 'tool')
        .map((message) => ({ id: message.tool_call_id, text: message.content })),
    }),
    reply: (calls, text) => ({
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
          message: {
            role: 'assistant',
            content: text || null,
            ...(calls.length > 0 && {
              tool_calls: calls.map(({ id, name, args }) => ({
                id,
                type: 'function',
                function: { name, arguments: JSON.stringify(args) },
              })),
            }),
          },
        },
      ],
    }),
};

const responses: Provider<{
  tools: { name: string }[];
  input: { type: string; call_id: string; output: string }[];
}> = {
    path: /^\/v1\/responses$/,
    offered: (body) => body.tools.map((tool) => tool.name),
    history: ({ input }) => ({
      asked: input.filter((item) => item.type === 'function_call').map((item) => item.call_id),
      answered: input
        .filter((item) => item.type === 'function_call_output')
        .map((item) => ({ id: item.call_id, text: item.output })),
    }),
    reply: (calls, text) => ({
      object: 'response',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [] },
        ...calls.map(({ id, name, args }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: JSON.stringify(args),
        })),
        ...(text
          ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]
          : []),
      ],
    }),
};

const anthropic: Provider<{
  tools: { name: string }[];
  messages: { content: { type: string; id: string; tool_use_id: string; content: string }[] }[];
}> = {
    path: /^\/v1\/messages$/,
    offered: (body) => body.tools.map((tool) => tool.name),
    history: ({ messages }) => {
      const blocks = messages.flatMap((message) => message.content);
      return {
        asked: blocks.filter(({ type }) => type === 'tool_use').map((block) => block.id),
        answered: blocks
          .filter(({ type }) => type === 'tool_result')
          .map((block) => ({ id: block.tool_use_id, text: block.content })),
      };
    },
    reply: (calls, text) => ({
      type: 'message',
      role: 'assistant',
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      content: [
        { type: 'text', text: text || 'Let me see.' },
        ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
      ],
    }),
};

const gemini: Provider<{
  tools: { functionDeclarations: { name: string }[] }[];
  contents: {
    parts: {
      functionCall?: { name: string };
      functionResponse?: { name: string; response: { output?: string; error?: unknown } };
    }[];
  }[];
}> = {
    path: /^\/v1beta\/models\/[\w.-]+:generateContent$/,
    offered: (body) => body.tools.flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
    history: ({ contents }) => {
      const parts = contents.flatMap((content) => content.parts);
      return {
        // Without ids the order tells them apart.
        asked: parts.flatMap(({ functionCall }) => functionCall?.name ?? []),
        answered: parts.flatMap(({ functionResponse: answer }) =>
          answer === undefined
            ? []
            : {
                id: answer.name,
                text: answer.response.output ?? JSON.stringify(answer.response.error),
              },
        ),
      };
    },
    reply: (calls, text) => ({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              ...(text ? [{ text }] : []),
              ...calls.map(({ name, args }) => ({ functionCall: { name, args } })),
            ],
          },
        },
      ],
    }),
};

const PROVIDERS = [openai, responses, anthropic, gemini] as Provider<unknown>[];

const plain = (text: string): string =>
  text.replace(/<\/?untrusted-data[^>]*>/g, '').replace(/\s+/g, ' ').trim();

/** The script: what the model does next, told by what it was answered. */
function next(answers: Answer[]): { calls: Call[]; text: string } {
  const [weather, booking, corrected] = answers.map(({ text }) => text);
  const forecast = (id: string, days: unknown): Call => ({
    id,
    name: 'demo__weather',
    args: { city: 'Oslo', days },
  });
  if (weather === undefined || booking === undefined) {
    const cancel = { id: 'c2', name: 'demo__cancel_booking', args: { booking: 'b-17' } };
    return { calls: [forecast('c1', '2'), cancel], text: '' };
  }
  const wasTold = weather.includes('TOOL_ARGUMENT_ERROR') && weather.includes('/days');
  if (corrected === undefined && wasTold) return { calls: [forecast('c3', 2)], text: '' };
  return { calls: [], text: `Weather: ${plain(corrected ?? weather)}\nBooking: ${plain(booking)}` };
}

function respond(url: string, body: unknown): unknown {
  const provider = PROVIDERS.find(({ path }) => path.test(url));
  if (provider === undefined) throw new Error(`nothing is known of ${url}`);
  if (!provider.offered(body).includes('demo__weather')) throw new Error('no tools were offered');
  const { asked, answered } = provider.history(body);
  if (asked.join() !== answered.map(({ id }) => id).join()) {
    throw new Error(`asked were ${asked.join()}, answered ${answered.map(({ id }) => id).join()}`);
  }
  const { calls, text } = next(answered);
  return provider.reply(calls, text);
}

/** Starts the stand-in on a free loopback port. */
export async function startStandIn(): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    try {
      response.end(JSON.stringify(respond(request.url ?? '', await json(request))));
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ error: { message: String(error) } }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await startStandIn();
  console.log(`export OPENAI_BASE_URL=${url}/v1 ANTHROPIC_BASE_URL=${url} GEMINI_BASE_URL=${url}`);
}
