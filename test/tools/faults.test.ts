import { describe, expect, test } from 'vitest';
import { formatFault } from '../../src/tools/load.js';
import { faultsOf, readMarks, show } from './marked.js';

const KEY = 'a'.repeat(64);
const inTool = (keys: string) => `version: 1\ntools:\n  - { name: t, ${keys} }\n`;
const inHttp = (keys: string) => inTool(`http: { url: "http://x/", ${keys} }`);
const inServer = (keys: string) => `version: 1\nmcp_servers:\n  - { name: s, ${keys} }\n`;
const URL = 'http: { url: "http://x/" }';
const ARGS = 'input_schema: { properties: { city: {}, days: {} } }';

/** Text with a mark before each thing that is wrong; path and words of the fault there. */
type Row = readonly [text: string, ...faults: (readonly [path: string, message: RegExp])[]];

function check([text, ...expected]: Row, env: NodeJS.ProcessEnv = {}): void {
  const marked = readMarks(text);
  const faults = faultsOf(marked.text, env);
  expect(show(faults)).not.toBe('');
  expect(faults.map(({ path, line, column }) => ({ path, line, column }))).toEqual(
    expected.map(([path], index) => ({ path, ...marked.places[index] })),
  );
  faults.forEach((fault, index) => expect(formatFault(fault)).toMatch(expected[index]![1]));
}

const rows = (name: string, list: readonly Row[]) =>
  describe(name, () => {
    test.each(list.map((row) => [`${row[1]![0]}: ${row[1]![1].source}`, row] as const))(
      '%s',
      (_, row) => check(row),
    );
  });

rows('the document', [
  ['«', ['', /the file is empty \(expected a configuration that begins with version: 1\)/]],
  ['«# nothing\n', ['', /empty/]],
  ['«hello', ['', /is a text \(expected an object\)/]],
  ['«- version: 1', ['', /is a list/]],
  ['«tools: []', ['version', /is missing \(expected 1\)/]],
  ['version: «2', ['version', /not an allowed value \(expected 1\)/]],
  ['version: «"1"', ['version', /is a text \(expected 1\)/]],
  ['version: 1\n«\ttools: []', ['', /tabs are not allowed/i]],
  ['version: 1\n«version: 1', ['', /this key stands here twice/]],
  ['version: 1\n--- \n«version: 1', ['', /second document/]],
  ['version: «!!js/undefined x', ['', /tags .* not supported/]],
  ['? «[a]\n: 1', ['', /a key must be a text/]],
  ['version: 1\nx«\u0000y: 1', ['', /control character/]],
  ['version: 1\ntools: «*nowhere', ['tools', /anchor that is not set/]],
  ['version: 1\n«__proto__: { tools: [] }', ['__proto__', /not allowed/]],
  ['version: 1\n«constructor: 1', ['constructor', /unknown key/]],
  ['version: «12345678901234567890', ['version', /loses digits/]],
  ['version: «.nan', ['version', /JSON can carry/]],
]);

rows('shapes and unknown keys', [
  [
    'version: 1\n«serverr: {}',
    ['serverr', /unknown key serverr; did you mean server\? \(expected server\)/],
  ],
  ['version: 1\n«zzz: 1', ['zzz', /unknown key zzz \(expected one of version, server, clients/]],
  ['version: 1\nserver: { «max_bach: 5 }', ['server.max_bach', /did you mean max_batch/]],
  [
    'version: 1\nserver: { max_batch: «0 }',
    ['server.max_batch', /too small \(expected a whole number from 1 to 10000\)/],
  ],
  ['version: 1\nserver: { max_batch: «1.5 }', ['server.max_batch', /with a fraction/]],
  ['version: 1\nserver: { max_batch: «99999 }', ['server.max_batch', /too large/]],
  ['version: 1\nserver: «[]', ['server', /is a list \(expected an object\)/]],
  ['version: 1\n«server:\ntools: []', ['server', /has no value/]],
  [
    'version: 1\ndefaults: { breaker: «true }',
    ['defaults.breaker', /an object, or false to switch it off/],
  ],
  [
    'version: 1\ndefaults: { breaker: { «min_cals: 1 } }',
    ['defaults.breaker.min_cals', /min_calls/],
  ],
  [
    'version: 1\ndefaults: { breaker: { failure_rate: «0 } }',
    ['defaults.breaker.failure_rate', /above 0, at most 1/],
  ],
  ['version: 1\ndefaults: { timeout_ms: «ten }', ['defaults.timeout_ms', /is a text/]],
  [
    'version: 1\ndefaults: { result: { on_oversize: «cut } }',
    ['defaults.result.on_oversize', /one of error, truncate/],
  ],
  [
    'version: 1\nclients:\n  - { id: c, key_sha256: «abc }',
    ['clients[0].key_sha256', /64 hexadecimal/],
  ],
  ['version: 1\nclients: [«{ id: c }]', ['clients[0].key_sha256', /is missing/]],
  [inTool(`${URL}, timeout_ms: «"5"`), ['tools[0].timeout_ms', /is a text/]],
  [`version: 1\ntools:\n  - «${URL}\n`, ['tools[0].name', /is missing/]],
  [`version: 1\ntools: [{ name: «"a b", ${URL} }]`, ['tools[0].name', /letters, digits/]],
  [`version: 1\ntools: [{ name: «${'a'.repeat(65)}, ${URL} }]`, ['tools[0].name', /1 to 64/]],
  [inHttp('method: «FETCH'), ['tools[0].http.method', /one of GET/]],
  [inHttp('result: «data'), ['tools[0].http.result', /JSON Pointer/]],
]);

rows('the environment', [
  [
    inTool(`${URL}, description: «"a \${NOPE}"`),
    ['tools[0].description', /the environment has no NOPE/],
  ],
  [inTool(`${URL}, description: «"\${A:-b}"`), ['tools[0].description', /not followed by a name/]],
  // What follows from it is not said: an empty URL, a missing number.
  [inTool('http: { url: «"${NOPE}" }'), ['tools[0].http.url', /NOPE/]],
  [inTool(`${URL}, timeout_ms: «"\${NOPE}"`), ['tools[0].timeout_ms', /NOPE/]],
]);

test('an environment text that is no number is a fault that does not show it', () => {
  const text = inTool(`${URL}, timeout_ms: «"\${T}"`);
  check([text, ['tools[0].timeout_ms', /is a text \(expected a whole number/]], { T: 'hunter2' });
  expect(show(faultsOf(readMarks(text).text, { T: 'hunter2' }))).not.toContain('hunter2');
});

rows('server and clients', [
  [
    'version: 1\nserver: { default_deadline_ms: «5000, max_deadline_ms: 1000 }',
    ['server.default_deadline_ms', /above max_deadline_ms \(expected at most 1000\)/],
  ],
  [
    'version: 1\nserver: { trust_proxy: [10.0.0.0/8, «proxy.local, «10.0.0.0/33, «"::1/129"] }',
    ['server.trust_proxy[1]', /no address/],
    ['server.trust_proxy[2]', /no address/],
    ['server.trust_proxy[3]', /no address/],
  ],
  ['version: 1\nserver: { egress: { allow: [«x] } }', ['server.egress.allow[0]', /CIDR/]],
  [
    `version: 1\nclients: [{ id: a, key_sha256: ${KEY} }, { id: «a, key_sha256: «${KEY.toUpperCase()} }]`,
    ['clients[1].id', /same id as clients\[0\]\.id/],
    ['clients[1].key_sha256', /same key/],
  ],
  [
    `version: 1\nclients: [{ id: a, key_sha256: ${KEY}, tools: ["weather.*", «"weather/*", «"!"] }]`,
    ['clients[0].tools[1]', /can match no tool name/],
    ['clients[0].tools[2]', /can match no tool name/],
  ],
]);

rows('policy', [
  [
    'version: 1\ndefaults: { retry: { base_ms: 10, max_ms: «5 } }',
    ['defaults.retry.max_ms', /base_ms is above max_ms/],
  ],
  [
    `version: 1\ndefaults: { retry: { max_ms: 50 } }\ntools: [{ name: t, ${URL}, retry: { base_ms: «60 } }]`,
    ['tools[0].retry.base_ms', /above/],
  ],
  [
    inTool(`${URL}, rate_limit: «{ per_ms: 5 }`),
    ['tools[0].rate_limit.calls', /is missing, here and in defaults/],
  ],
]);

rows('names', [
  [
    `version: 1\ntools: [{ name: t, ${URL} }, { name: «t, ${URL} }]`,
    ['tools[1].name', /same name as tools\[0\]\.name/],
  ],
  [
    `version: 1\ntools: [{ name: a.b, ${URL} }, { name: «a__b, ${URL} }]`,
    ['tools[1].name', /called a__b by model providers, like a\.b/],
  ],
]);

rows('upstreams', [
  ['version: 1\ntools:\n  - «name: t\n', ['tools[0]', /none of http, module/]],
  [inTool(`${URL}, «module: ./marked.ts`), ['tools[0].module', /beside http/]],
  [inTool('module: «./nowhere.js'), ['tools[0].module', /no such file/]],
  [inTool('module: «.'), ['tools[0].module', /no such file/]],
  [inTool('http: { url: «ftp://x/ }'), ['tools[0].http.url', /http or https/]],
  [inTool('http: { url: «/relative }'), ['tools[0].http.url', /http or https/]],
  [
    inTool('http: { url: «"http://{host}/" }'),
    ['tools[0].http.url', /placeholder stands in the host/],
  ],
  [inTool('http: { url: «"http://{user}@x/" }'), ['tools[0].http.url', /credentials/]],
  [inTool('http: { url: «"http://x:{port}/" }'), ['tools[0].http.url', /port/]],
  [inTool('http: { url: «"http://x:99999/" }'), ['tools[0].http.url', /no valid host or port/]],
  [inTool('http: { url: «"http://" }'), ['tools[0].http.url', /no valid host/]],
  [inTool('http: { url: «"http://x/#a" }'), ['tools[0].http.url', /fragment/]],
  [inTool('http: { url: «"http://x/a b" }'), ['tools[0].http.url', /white space/]],
  [inTool('http: { url: «"http://x/{a:b}" }'), ['tools[0].http.url', /brace/]],
  [inHttp('«body: { a: 1 }'), ['tools[0].http.body', /GET has no body/]],
  [inHttp('headers: { «"a b": x }'), ['tools[0].http.headers["a b"]', /no header name/]],
  [
    inHttp('headers: { «Content-Length: "1" }'),
    ['tools[0].http.headers.Content-Length', /set by the gateway/],
  ],
  [inHttp('headers: { a: «"x\\ny" }'), ['tools[0].http.headers.a', /no header can carry/]],
  [inHttp('headers: { a: x, «A: y }'), ['tools[0].http.headers.A', /given twice/]],
  [inHttp('success_when: «{ pointer: /a }'), ['tools[0].http.success_when', /exactly one of/]],
  [
    inHttp('success_when: { pointer: /a, equals: 1, «absent: true }'),
    ['tools[0].http.success_when.absent', /beside equals/],
  ],
  [
    inTool(`${URL}, idempotency: { header: «"a b" }`),
    ['tools[0].idempotency.header', /no header name/],
  ],
]);

rows('placeholders', [
  [
    inTool(`${ARGS}, http: { url: «"http://x/{citty}" }`),
    ['tools[0].http.url', /\{citty\} is no argument.*did you mean \{city\}/],
  ],
  [
    inTool(`${ARGS}, http: { url: "http://x/", query: { q: «"{nope}" } }`),
    ['tools[0].http.query.q', /one of city, days/],
  ],
  [
    inTool(`${ARGS}, http: { url: "http://x/", headers: { q: «"a {nope}" } }`),
    ['tools[0].http.headers.q', /\{nope\}/],
  ],
  [
    inTool(`${ARGS}, http: { url: "http://x/", method: POST, body: { a: [«"{nope}", "{city}"] } }`),
    ['tools[0].http.body.a[0]', /\{nope\}/],
  ],
  [
    inTool('input_schema: { additionalProperties: false }, http: { url: «"http://x/{city}" }'),
    ['tools[0].http.url', /no placeholder/],
  ],
]);

test.each([
  ['a schema that does not say', 'http: { url: "http://x/{anything}" }'],
  [
    'a word in braces within a longer text of a body',
    `${ARGS}, http: { url: "http://x/", method: POST, body: { query: "query {user {name}}" } }`,
  ],
])('placeholders are let be: %s', (_, keys) => {
  expect(show(faultsOf(inTool(keys)))).toBe('');
});

rows('schemas', [
  [
    inTool(`${URL}, input_schema: { properties: { a: { type: «integr } } }`),
    ['tools[0].input_schema.properties.a.type', /one of array, boolean/],
  ],
  [
    inTool(`${URL}, output_schema: { properties: { a: { minimum: «x } } }`),
    ['tools[0].output_schema.properties.a.minimum', /must be number/],
  ],
  [
    inTool(`${URL}, input_schema: { $schema: «"http://json-schema.org/draft-04/schema#" }`),
    ['tools[0].input_schema.$schema', /dialect is not supported.*draft-07/],
  ],
  [
    inTool(`${URL}, input_schema: { anyOf: [{}, { pattern: «"(" }] }`),
    ['tools[0].input_schema.anyOf[1].pattern', /no valid regular expression/],
  ],
  [
    inTool(`${URL}, input_schema: { type: «array }`),
    ['tools[0].input_schema.type', /they are an object/],
  ],
  [
    inTool(`${URL}, input_schema: «{ $ref: "http://example.com/x" }`),
    ['tools[0].input_schema', /leads nowhere \(nothing is fetched\)/],
  ],
  [
    inTool(`${URL}, input_schema: «{ $ref: "#/nowhere" }`),
    ['tools[0].input_schema', /leads nowhere/],
  ],
]);

rows('error rules', [
  [
    inTool(`${URL}, errors: [{ when: «{}, then: { declined: a } }]`),
    ['tools[0].errors[0].when', /never matches/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { status: 409 }, then: «{ message: a } }]`),
    ['tools[0].errors[0].then', /exactly one of declined, transient/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { status: 409 }, then: { declined: a, «permanent: b } }]`),
    ['tools[0].errors[0].then.permanent', /beside declined/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { status: 409 }, then: { code: «TOOL_TIMEOUTT } }]`),
    ['tools[0].errors[0].then.code', /did you mean TOOL_TIMEOUT\?/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { status: «99 }, then: { declined: a } }]`),
    ['tools[0].errors[0].when.status', /409/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { status: [500, «"6xx"] }, then: { declined: a } }]`),
    ['tools[0].errors[0].when.status[1]', /5xx/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { status: «[] }, then: { declined: a } }]`),
    ['tools[0].errors[0].when.status', /is empty/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { transport: «econnrefused }, then: { declined: a } }]`),
    ['tools[0].errors[0].when.transport', /ECONNREFUSED/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { body: «{ pointer: /a } }, then: { declined: a } }]`),
    ['tools[0].errors[0].when.body', /exactly one of equals, matches/],
  ],
  [
    inTool(
      `${URL}, errors: [{ when: { body: { pointer: /a, matches: «"(?=a)" } }, then: { declined: a } }]`,
    ),
    ['tools[0].errors[0].when.body.matches', /lookahead, which RE2 does not have/],
  ],
  [
    inTool(
      `${URL}, errors: [{ when: { header: { name: a, matches: «"(a)\\\\1" } }, then: { declined: a } }]`,
    ),
    ['tools[0].errors[0].when.header.matches', /a backreference/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { is_error: «false }, then: { declined: a } }]`),
    ['tools[0].errors[0].when.is_error', /expected true/],
  ],
  [
    inTool(`${URL}, errors: [{ when: { status: 409 }, then: { declined: «"no spaces" } }]`),
    ['tools[0].errors[0].then.declined', /stable code/],
  ],
]);

const READ = `{ name: read, ${ARGS}, ${URL} }`;
const withRead = (verify: string) =>
  `version: 1\ntools:\n  - ${READ}\n  - { name: t, ${ARGS}, http: { url: "http://x/", method: POST }, verify: ${verify} }\n`;

rows('cache and verify', [
  [
    inTool('http: { url: "http://x/", method: POST }, «cache: { ttl_ms: 5 }'),
    ['tools[0].cache', /only reads/],
  ],
  [inTool('module: ./marked.ts, «cache: { ttl_ms: 5 }'), ['tools[0].cache', /read_only: true/]],
  [
    withRead('{ tool: «reed, confirmed_when: { pointer: /a, equals: 1 } }'),
    ['tools[1].verify.tool', /did you mean read\?/],
  ],
  [
    withRead('{ tool: «t, confirmed_when: { pointer: /a, equals: 1 } }'),
    ['tools[1].verify.tool', /t does not only read/],
  ],
  [
    withRead(
      '{ tool: read, arguments: { «cty: "{city}", days: «"{nope}" }, confirmed_when: { pointer: /a, equals: 1 } }',
    ),
    ['tools[1].verify.arguments.cty', /no such argument/],
    ['tools[1].verify.arguments.days', /\{nope\}/],
  ],
  [
    withRead('{ tool: read, confirmed_when: «{ pointer: /a } }'),
    ['tools[1].verify.confirmed_when', /exactly one/],
  ],
]);

test('the read-back may be a tool of an MCP server, which is not known yet', () => {
  const text = `${withRead('{ tool: notes.get, confirmed_when: { pointer: /a, equals: 1 } }')}mcp_servers: [{ name: notes, url: "http://x/" }]\n`;
  expect(show(faultsOf(text))).toBe('');
});

rows('MCP servers', [
  ['version: 1\nmcp_servers:\n  - «name: s\n', ['mcp_servers[0]', /none of url, command/]],
  [inServer('url: "http://x/", «command: [node]'), ['mcp_servers[0].command', /beside url/]],
  [inServer('url: «ws://x/'), ['mcp_servers[0].url', /http or https/]],
  [inServer('command: «[]'), ['mcp_servers[0].command', /is empty/]],
  [inServer('command: [«./nowhere.sh]'), ['mcp_servers[0].command[0]', /no such file/]],
  [inServer('command: [node], cwd: «./nowhere'), ['mcp_servers[0].cwd', /no such folder/]],
  [inServer('command: [node], «headers: { a: b }'), ['mcp_servers[0].headers', /only with url/]],
  [inServer('url: "http://x/", «env: { A: b }'), ['mcp_servers[0].env', /only with command/]],
  [
    inServer('command: [node], env: { «"A=B": c }'),
    ['mcp_servers[0].env["A=B"]', /no name of a variable/],
  ],
  [
    inServer('url: "http://x/", oauth: { token_url: «x, client_id: a, client_secret: b }'),
    ['mcp_servers[0].oauth.token_url', /http or https/],
  ],
  [inServer('url: "http://x/", «cache: { ttl_ms: 1 }'), ['mcp_servers[0].cache', /trusted: true/]],
  [inServer('url: "http://x/", prefix: «"a b"'), ['mcp_servers[0].prefix', /letters/]],
  [
    'version: 1\nmcp_servers: [{ name: s, url: "http://x/" }, { name: «s, url: "http://y/" }]',
    ['mcp_servers[1].name', /same name/],
  ],
]);

describe('all at once', () => {
  test('faults of syntax of the whole, of shape and of meaning, in the order of the text', () => {
    check([
      `version: «3
tools:
  - name: «"a b"
    «timeout_mss: 5
    http: { url: «"http://{h}/", method: «FETCH }
    errors: [{ when: «{}, then: { code: «NOPE_CODE } }]
  - «name: t
clients: [{ id: c, key_sha256: «zz, tools: [«"a b"] }]
`,
      ['version', /expected 1/],
      ['tools[0].name', /letters/],
      ['tools[0].timeout_mss', /did you mean timeout_ms/],
      ['tools[0].http.url', /host/],
      ['tools[0].http.method', /GET/],
      ['tools[0].errors[0].when', /never/],
      ['tools[0].errors[0].then.code', /catalogue/],
      ['tools[1]', /none of/],
      ['clients[0].key_sha256', /hex/],
      ['clients[0].tools[0]', /can match/],
    ]);
  });

  test('at most a hundred, the last one counts the rest', () => {
    const tools = Array.from({ length: 250 }, (_, i) => `  - { name: t${i} }`).join('\n');
    const faults = faultsOf(`version: 1\ntools:\n${tools}\n`);
    expect(faults).toHaveLength(100);
    expect(faults.at(-1)).toMatchObject({ line: 102, message: 'and 151 more faults from here on' });
  });

  test('what stands behind an alias or a merge is reported where it stands', () => {
    const { text, places } = readMarks(`version: 1
tools:
  - &b { name: a, http: { url: "http://x/" }, «timout_ms: 5 }
  - { <<: *b, name: b }
`);
    const faults = faultsOf(text);
    expect(faults.map((fault) => fault.path)).toEqual(['tools[0].timout_ms', 'tools[1].timout_ms']);
    for (const fault of faults) expect(fault).toMatchObject(places[0]!);
  });
});

test('a line for people: file, place, path, what is wrong, what was expected', () => {
  const fault = {
    file: 'a.yaml',
    line: 3,
    column: 5,
    path: 'tools[0].name',
    message: 'is missing',
    expected: 'a name',
  };
  expect(formatFault(fault)).toBe('a.yaml:3:5 tools[0].name: is missing (expected a name)');
  expect(formatFault({ ...fault, path: '', expected: '' })).toBe('a.yaml:3:5 is missing');
});

test('keys of the file cannot forge lines of the report', () => {
  const line = show(faultsOf('version: 1\n"a\\nb.yaml:1:1 \\u202e": 1\n'));
  expect(line.split('\n')).toHaveLength(1);
  expect(line).not.toContain('\u202e');
});
