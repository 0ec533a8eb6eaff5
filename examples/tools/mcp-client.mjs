// The official MCP client against the gateway's own /mcp. With the gateway running:
//   node mcp-client.mjs
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const url = new URL('/mcp', process.env.TOOLGATE_URL ?? 'http://127.0.0.1:8080');
const key = process.env.TOOLGATE_KEY;
const requestInit = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };

const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
const { tools } = await client.listTools();
console.log(`${tools.length} tools, the first is ${tools[0].name}`);

const good = await client.callTool({ name: 'demo.weather', arguments: { city: 'Oslo' } });
console.log(good.content[0].text);

const failed = await client.callTool({ name: 'demo.forbidden', arguments: {} });
const { code, retryable, effect } = failed.structuredContent.error_info;
console.log(failed.isError, code, { retryable, effect });
await client.close();
