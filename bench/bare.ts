// The yardstick: what a user would write without a gateway. A Fastify route that fans the batch out
// with undici, reads each answer as JSON and stringifies the whole.
import Fastify from 'fastify';
import { request } from 'undici';

interface Call {
  readonly id: string;
  readonly tool: string;
  readonly arguments: { readonly city: string; readonly days: number };
}

const [port, upstream] = process.argv.slice(2);
const app = Fastify({ bodyLimit: 1 << 20 });

app.get('/livez', () => ({ status: 'ok' }));

app.post<{ Body: { calls: Call[] } }>('/v1/tool-calls', async ({ body }) => {
  const results = await Promise.all(
    body.calls.map(async (call) => {
      const { city, days } = call.arguments;
      const path = call.tool.slice(call.tool.indexOf('.') + 1);
      const answer = await request(
        `${upstream!}/${path}/${encodeURIComponent(city)}?days=${String(days)}`,
      );
      return { id: call.id, tool: call.tool, status: 'ok', result: await answer.body.json() };
    }),
  );
  return { results };
});

await app.listen({ port: Number(port), host: '127.0.0.1', backlog: 4096 });
