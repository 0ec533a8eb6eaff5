import { describe, expect, test } from 'vitest';
import { configOf } from './marked.js';

const secretsOf = (text: string, env: NodeJS.ProcessEnv = {}) =>
  configOf(`version: 1\n${text}`, env).config.secrets;
const tool = (http: string) => `tools: [{ name: t, http: { ${http} } }]`;

describe('what must never leave', () => {
  test('values from the environment, wherever they stand', () => {
    const text = `tools: [{ name: t, description: "\${A}", http: { url: "http://x/\${B}" } }]`;
    expect(secretsOf(text, { A: 'alpha-secret', B: 'bravo-secret' })).toEqual([
      'alpha-secret',
      'bravo-secret',
    ]);
  });

  test.each([
    ['short', 'abc'],
    ['a port', '8080'],
    ['a truth value', 'false'],
    ['an everyday word', 'production'],
    ['an address without credentials', 'https://api.example.com/v1'],
  ])('but not %s', (_, value) => {
    expect(secretsOf(tool('url: "http://x/", headers: { x-a: "${V}" }'), { V: value })).toEqual([]);
  });

  test('credentials in headers, whole and behind their scheme', () => {
    const basic = Buffer.from('ann:pa55word').toString('base64');
    const secrets = secretsOf(
      tool(
        `url: "http://x/", headers: { Authorization: "Bearer abc.def", x-api-key: k3y9, proxy-authorization: "Basic ${basic}" }`,
      ),
    );
    expect(secrets).toEqual(
      expect.arrayContaining(['Bearer abc.def', 'abc.def', 'k3y9', basic, 'pa55word']),
    );
  });

  test('other headers when they are long enough to be one, everyday headers never', () => {
    const secrets = secretsOf(
      tool(
        'url: "http://x/", headers: { x-tenant: acme-corporation, x-kind: json, user-agent: agent-of-mine, content-type: application/json, api-version: "2023-06-01", x-note: "{note}-by-the-gateway" }',
      ),
    );
    expect(secrets).toEqual(['acme-corporation', '-by-the-gateway']);
  });

  test('credentials in URLs: user, password, parameters of that kind, never the URL', () => {
    const secrets = secretsOf(
      tool('url: "https://ann:p%40ssword@x/?api_key=0123-key&page=second&token={city}"'),
    );
    expect(secrets).toEqual(['p%40ssword', 'p@ssword', '0123-key']);
  });

  test('fixed parameters and fields with such names', () => {
    const secrets = secretsOf(
      tool(
        'url: "http://x/", method: POST, query: { api_key: fixed-key, q: "plain text" }, body: { auth: { password: hunter22 }, secret: "{city}", note: "plain text" }',
      ),
    );
    expect(secrets).toEqual(['fixed-key', 'hunter22']);
  });

  test('of MCP servers and clients', () => {
    const hash = 'ab'.repeat(32);
    const secrets = secretsOf(`
clients: [{ id: c, key_sha256: "${hash}" }]
mcp_servers:
  - { name: a, url: "https://u:mcp-pass@x/", headers: { x-key: mcp-key }, oauth: { token_url: "https://x/?secret=url-secret", client_id: public-id, client_secret: oauth-secret } }
  - { name: b, command: [node], env: { API_KEY: child-key, NODE_ENV: production } }
`);
    expect(secrets).toEqual([
      hash,
      'mcp-pass',
      'mcp-key',
      'oauth-secret',
      'url-secret',
      'child-key',
    ]);
  });
});
