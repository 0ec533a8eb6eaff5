// The pages show real outputs: every curl in them is run against a gateway that was started as the
// page says, and must answer with what is printed below it, but for ids and durations.
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { repository, startGateway, type GatewayProcess } from './gateway.js';
import { has, run } from './run.js';
import { lasting, readPage, shownIn, SHOWN_URL } from './shown.js';

const TOOLS = join(repository, 'examples/tools');
const RUN = ['calls', 'formats', 'idempotency-and-retries', 'mcp', 'module-tools'];

/** One gateway for each configuration. Pages run in the order of `RUN`, and see what others did. */
const running = new Map<string, Promise<GatewayProcess>>();

function gatewayOf(config: string | undefined): Promise<GatewayProcess> {
  const known =
    running.get(config ?? '') ??
    startGateway(config === undefined ? {} : { TOOLGATE_CONFIG: config });
  running.set(config ?? '', known);
  return known;
}

afterAll(async () => {
  for (const gateway of await Promise.allSettled(running.values())) {
    if (gateway.status === 'fulfilled') await gateway.value.stop();
  }
});

describe.runIf(has('bash', 'curl', 'jq'))('what the pages show', () => {
  it.each(RUN)('docs/%s.md', async (page) => {
    const shown = shownIn(await readPage(`docs/${page}.md`));
    expect(shown.length).toBeGreaterThan(1);
    for (const { command, output, config } of shown) {
      const { url } = await gatewayOf(config);
      const finished = await run(['bash', '-c', command.replaceAll(SHOWN_URL, url)], {
        cwd: repository,
        env: { TOOLGATE_URL: url },
      });
      expect(finished, command).toMatchObject({ code: 0, stderr: '' });
      expect(lasting(finished.stdout), command).toBe(lasting(output));
    }
  });
});

describe('the code of the pages', () => {
  const blocks = async (language: string, ...pages: string[]): Promise<string[]> => {
    const texts = await Promise.all(pages.map((page) => readPage(`docs/${page}.md`)));
    const fence = new RegExp(`^\`\`\`${language}\\n([^\`]*)\`\`\``, 'gm');
    return texts.flatMap((text) => [...text.matchAll(fence)].map(([, code]) => code!));
  };
  const files = async (): Promise<string[]> => {
    const names = (await readdir(TOOLS)).filter((name) => /\.(mjs|yaml)$/.test(name));
    return Promise.all(names.map((name) => readFile(join(TOOLS, name), 'utf8')));
  };

  it('is that of the examples', async () => {
    const known = await files();
    const modules = await blocks('js', 'module-tools');
    const excerpts = await blocks('yaml', 'idempotency-and-retries', 'module-tools');
    const claimed = [
      ...modules.filter((code) => code.includes('export default')),
      ...excerpts.filter((code) => !code.startsWith('version')),
    ].map((code) => code.replace(/^\/\/ \S+\n/, ''));
    expect(claimed.length).toBe(3);
    expect(claimed.filter((code) => !known.some((file) => file.includes(code)))).toEqual([]);
  });

  it('configures what `check` finds in order', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'toolgate-docs-'));
    try {
      await cp(TOOLS, folder, { recursive: true });
      const shown = await blocks('yaml', 'mcp', 'module-tools');
      const whole = shown.filter((code) => code.startsWith('version: 1\n'));
      expect(whole.length).toBe(3);
      await Promise.all(whole.map((code, n) => writeFile(join(folder, `shown-${n}.yaml`), code)));
      const names = (await readdir(folder)).filter((file) => file.endsWith('.yaml'));
      const checks = names.map((name) =>
        run([process.execPath, 'dist/src/cli.js', 'check', join(folder, name)], {
          cwd: repository,
          env: { NOTES_TOKEN: 'a-token-of-notes' },
        }),
      );
      for (const checked of await Promise.all(checks)) {
        expect(checked).toMatchObject({ code: 0, stderr: '' });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** The anchor of each heading, as GitHub makes it; of two alike, the second gets `-1`. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of page.matchAll(/^#+ (.+)$/gm)) {
    const slug = heading!.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    anchors.add(anchors.has(slug) ? `${slug}-1` : slug);
  }
  return anchors;
}

/** Whether the package has this file: what `files` of package.json names, and what npm always takes. */
async function shippedFiles(): Promise<(file: string) => boolean> {
  const manifest = JSON.parse(await readPage('package.json')) as { files: string[] };
  const named = [...manifest.files, 'package.json'];
  return (file) => named.some((entry) => file === entry || file.startsWith(`${entry}/`));
}

describe('the links of the pages', async () => {
  const isShipped = await shippedFiles();
  const docs = (await readdir(join(repository, 'docs'))).filter((name) => name.endsWith('.md'));
  const folders = (await readdir(join(repository, 'examples'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `examples/${name}/README.md`);
  const pages = ['README.md', ...docs.map((name) => `docs/${name}`), 'examples/README.md', ...folders];

  it.each(pages)('%s', async (page) => {
    const text = (await readPage(page)).replace(/^```[^]*?^```/gm, '');
    const broken: string[] = [];
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue;
      const [path = '', anchor] = target!.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), path));
      const found = existsSync(join(repository, file));
      const missing =
        anchor !== undefined && found && !anchorsOf(await readPage(file)).has(anchor);
      // Who has installed the package reads the same pages.
      const leftOut = isShipped(page) && !isShipped(file.replace(/\/$/, ''));
      if (!found || missing || leftOut) broken.push(target!);
    }
    expect(broken).toEqual([]);
  });
});

describe('what only the sources know', async () => {
  const names = (await readdir(join(repository, 'src'), { recursive: true })).filter((name) =>
    name.endsWith('.ts'),
  );
  const sources = (await Promise.all(names.map((name) => readPage(`src/${name}`)))).join('\n');
  const found = (pattern: RegExp): string[] => [
    ...new Set([...sources.matchAll(pattern)].map(([, name]) => name!)),
  ];

  it('is in .env.example, where it is a variable', async () => {
    const example = await readPage('.env.example');
    const variables = found(/\benv\['([A-Z_]+)'\]/g).filter((name) => !/_PROTOCOL$/.test(name));
    expect(variables.length).toBeGreaterThan(8);
    expect(variables.filter((name) => !example.includes(name))).toEqual([]);
  });

  it('is in the operating guide, where it is an event of the log', async () => {
    const guide = await readPage('docs/operating.md');
    const events = found(/\bevent(?:: |', )'(\w+)'/g);
    expect(events.length).toBeGreaterThan(8);
    expect(events.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('what the pages name', () => {
  it('is a command that can be run as it is built', async () => {
    const command = [join(repository, 'dist/src/cli.js'), '--version'] as const;
    const version = await run(command, { cwd: repository });
    expect(version).toMatchObject({ code: 0, stderr: '' });
  });

  it('is a script of package.json, where it is run with npm', async () => {
    const { scripts } = JSON.parse(await readPage('package.json')) as { scripts: object };
    const docs = (await readdir(join(repository, 'docs'))).filter((name) => name.endsWith('.md'));
    const pages = ['README.md', ...docs.map((name) => `docs/${name}`)];
    const text = (await Promise.all(pages.map((page) => readPage(page)))).join('\n');
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});
