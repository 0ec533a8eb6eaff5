// The committed OpenAPI document is what the routes are, and good enough to generate a client from.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeRoutes } from '../../scripts/openapi-document.js';
import { type Harness, startHarness } from '../support/harness.js';

interface MediaType {
  schema: object;
  example?: unknown;
}
interface Operation {
  operationId: string;
  responses: Record<string, { description: string; content?: Record<string, MediaType> }>;
}
interface OpenApi {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = join(ROOT, 'openapi/openapi.json');

let harness: Harness;
let document: OpenApi;
let ajv: Ajv2020;

beforeAll(async () => {
  harness = await startHarness(
    {
      tools: [
        {
          name: 'echo',
          description: 'echo',
          input_schema: { type: 'object' },
          module: fileURLToPath(new URL('../fixtures/tools/echo.mjs', import.meta.url)),
        },
      ],
    },
    { describe: describeRoutes },
  );
  document = JSON.parse(await readFile(FILE, 'utf8')) as OpenApi;
  ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, 'doc');
});

afterAll(async () => {
  await harness.close();
});

const pointer = (...tokens: string[]): string =>
  `doc#/${tokens.map((token) => encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

function responses(): [string, MediaType, string[]][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, media]): [string, MediaType, string[]] => [
          `${method} ${path} ${status} ${type}`,
          media,
          ['paths', path, method, 'responses', status, 'content', type, 'schema'],
        ]),
      ),
    ),
  );
}

it('the committed document is what the routes give', () => {
  const generated = (harness.app as unknown as { swagger: () => unknown }).swagger();
  expect(JSON.parse(JSON.stringify(generated))).toEqual(document);
});

it('every response has an example that its schema accepts', () => {
  for (const [name, media, path] of responses()) {
    expect(media.example, name).toBeDefined();
    const validate = ajv.getSchema(pointer(...path));
    expect(validate, name).toBeDefined();
    void validate?.(media.example);
    expect(validate?.errors ?? null, name).toBeNull();
  }
});

it('real answers are what the document says', async () => {
  const post = { method: 'POST' as const };
  const requests: [string, string, string, object][] = [
    [
      '/v1/tool-calls',
      'post',
      '200',
      { ...post, url: '/v1/tool-calls', payload: { calls: [{ tool: 'echo' }, { tool: 'nope' }] } },
    ],
    ['/v1/tool-calls', 'post', '400', { ...post, url: '/v1/tool-calls', payload: {} }],
    ['/v1/tools', 'get', '200', { url: '/v1/tools' }],
    ['/v1/tools/{name}', 'get', '200', { url: '/v1/tools/echo' }],
    ['/v1/tools/{name}', 'get', '404', { url: '/v1/tools/nope' }],
    ['/v1/errors', 'get', '200', { url: '/v1/errors' }],
    [
      '/v1/errors/classify',
      'post',
      '200',
      { ...post, url: '/v1/errors/classify', payload: { error: { status: 503 } } },
    ],
    [
      '/v1/errors/classify',
      'post',
      '400',
      { ...post, url: '/v1/errors/classify', payload: { error: { status: 'x' } } },
    ],
    ['/v1/batches/{batch_id}/cancel', 'post', '404', { ...post, url: '/v1/batches/nope/cancel' }],
    ['/livez', 'get', '200', { url: '/livez' }],
    ['/readyz', 'get', '200', { url: '/readyz' }],
    ['/healthz', 'get', '200', { url: '/healthz' }],
  ];
  for (const [path, method, status, request] of requests) {
    const response = await harness.app.inject(request);
    expect(String(response.statusCode), path).toBe(status);
    const type = String(response.headers['content-type']).split(';')[0] ?? '';
    const validate = ajv.getSchema(
      pointer('paths', path, method, 'responses', status, 'content', type, 'schema'),
    );
    expect(validate, `${path} ${status} ${type}`).toBeDefined();
    void validate?.(response.json());
    expect(validate?.errors ?? null, path).toBeNull();
  }
});

it('a TypeScript client that is generated from it compiles', async () => {
  const folder = await mkdtemp(join(ROOT, 'dist/client-'));
  const bin = (name: string): string => join(ROOT, 'node_modules/.bin', name);
  try {
    execFileSync(bin('openapi-typescript'), [FILE, '-o', join(folder, 'api.ts')], {
      stdio: 'ignore',
    });
    await writeFile(
      join(folder, 'use.ts'),
      `import type { paths } from './api.js';
type Answer = paths['/v1/tool-calls']['post']['responses']['200']['content']['application/json'];
export function waits(answer: Answer): number[] {
  return answer.results.flatMap((r) => (r.error_info?.retryable ? [r.error_info.retry_after_ms ?? 0] : []));
}
export const code: Answer['results'][number]['error_info'] = null;
`,
    );
    execFileSync(
      bin('tsc'),
      [
        '--noEmit',
        '--strict',
        '--ignoreConfig',
        '--skipLibCheck',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        join(folder, 'use.ts'),
      ],
      { encoding: 'utf8' },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('GET /openapi.json is what is committed, and names no host', async () => {
  expect((await harness.app.inject('/openapi.json')).json()).toEqual(document);
  expect(document.servers.map(({ url }) => url)).toEqual(['/']);
});

it('GET /docs is open to a browser, which has no key, on any host', async () => {
  const clients = [{ id: 'c', key_sha256: 'a'.repeat(64), tools: ['*'] }];
  const closed = await startHarness({ clients });
  expect((await closed.app.inject('/v1/tools')).statusCode).toBe(401);
  const page = await closed.app.inject('/docs/');
  expect(page.headers['content-type']).toMatch(/html/);
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'self'((?!upgrade).)*$/);
  const files = [...page.body.matchAll(/(?:src|href)="\.?\/?([^"]+)"/g)].map(([, file]) => file);
  expect(files.length).toBeGreaterThan(3);
  for (const file of [...files, 'json']) {
    expect((await closed.app.inject(`/docs/${file}`)).statusCode, file).toBe(200);
  }
  await closed.close();
});
