// The alerts and the dashboard, held to the metrics that there are, the codes of the catalogue and
// the operating guide.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CATALOGUE, CATEGORIES } from '../../src/errors/catalogue.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { everyMetric } from './fixtures/every-metric.js';
import { readExposition } from './fixtures/exposition.js';
import { readPromql, type Matcher } from './fixtures/promql.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

const groups = (parse(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] })
  .groups;
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { x: number; y: number; w: number; h: number };
  readonly targets?: readonly { expr: string }[];
}

const dashboard = JSON.parse(read('deploy/grafana/toolgate.json')) as { panels: Panel[] };

/** What Grafana puts in before it asks. */
const filledIn = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$tool', '.*');

const expressions: [where: string, expr: string][] = [
  ...rules.map(({ alert, record, expr }): [string, string] => [alert ?? record ?? '', expr]),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [`panel ${title}`, filledIn(expr)]),
  ),
];

/** `x_bucket` and its like -> `x`. */
const family = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

let metrics: Map<string, Set<string>>;

beforeAll(async () => {
  metrics = await everyMetric();
  // Prometheus' own, and what the rules record.
  metrics.set('up', new Set());
  for (const { record } of rules) if (record !== undefined) metrics.set(record, new Set(['tool']));
});

/** Values that a matcher on a label of ours may name. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  code: Object.keys(CATALOGUE),
  category: Object.keys(CATEGORIES),
  status: ['ok', 'error', 'declined'],
  to: ['open', 'half_open', 'closed'],
  idempotent: ['true', 'false'],
};

function checkMatcher({ label, operator, value }: Matcher, where: string): void {
  const known = VALUES[label];
  if (known === undefined) return;
  for (const one of operator.includes('~') ? value.split('|') : [value]) {
    expect(known, `${where}: ${label}`).toContain(one);
  }
}

describe.each(expressions)('%s', (where, expr) => {
  test('names metrics, labels and values that there are', () => {
    const { selectors, grouping } = readPromql(expr);
    expect(selectors.length).toBeGreaterThan(0);
    for (const { metric, matchers } of selectors) {
      const labels = metrics.get(metric);
      if (labels === undefined) throw new Error(`${where}: there is no metric ${metric}`);
      for (const matcher of matchers) {
        expect(['job', 'instance', ...labels], `${where}: ${metric}`).toContain(matcher.label);
        checkMatcher(matcher, where);
      }
      for (const label of grouping) expect([...labels], `${where}: ${metric}`).toContain(label);
    }
  });
});

describe('the alerts', () => {
  test('cover what an operator must hear of', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(names).toEqual(
      expect.arrayContaining([
        'ToolgateBreakerOpen',
        'ToolgateErrorBudgetBurnsFast',
        'ToolgateErrorBudgetBurnsSlowly',
        'ToolgateRetryBudgetEmpty',
        'ToolgateQueueGrows',
        'ToolgateEffectUnknown',
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test('say how urgent they are and what is wrong', () => {
    for (const { alert, labels, annotations } of alerts) {
      expect(['page', 'ticket'], alert).toContain(labels?.['severity']);
      expect(annotations?.['summary'], alert).toBeTruthy();
    }
  });

  test('tell of the first event too, where its series is born with it', async () => {
    const metrics = createMetrics();
    metrics.toolObserver({ name: 't', idempotent: false });
    const fresh = readExposition(await metrics.render()).series;
    const standsFromTheStart = (selector: string): boolean => {
      const [{ metric, matchers } = { metric: '', matchers: [] }] = readPromql(selector).selectors;
      return fresh.some(
        ({ name, labels }) =>
          name === metric &&
          matchers.every(({ label, operator, value }) =>
            operator === '=' ? labels[label] === value : labels[label] !== value,
          ),
      );
    };
    const counted = alerts.flatMap(({ expr }) =>
      [...expr.matchAll(/increase\(([^[]+)\[/g)].map(([, selector]) => ({
        expr,
        selector: selector!,
      })),
    );
    expect(counted.length).toBeGreaterThan(3);
    for (const { expr, selector } of counted) {
      if (standsFromTheStart(selector)) continue;
      expect(expr).toContain(`${selector} unless ${selector} offset`);
    }
  });

  test('have each a paragraph in the operating guide', () => {
    const guide = read('docs/operating.md');
    for (const { alert } of alerts) expect(guide).toContain(`**${alert ?? ''}**`);
  });
});

describe('the operating guide', () => {
  const guide = read('docs/operating.md');

  test('says of every code whose fault it is and what to do', () => {
    const rows = guide.slice(guide.indexOf('## What each code means')).split('\n');
    const codes = rows
      .filter((row) => row.startsWith('|'))
      .flatMap((row) => row.split('|')[1]!.match(/[A-Z]{2,}(?:_[A-Z]+)+/g) ?? []);
    expect(codes.sort()).toEqual(Object.keys(CATALOGUE).sort());
  });

  test('explains every metric of the gateway', () => {
    const names = [...metrics.keys()].filter((name) => name.startsWith('toolgate_'));
    for (const name of names) expect(guide).toContain(`\`${family(name)}\``);
  });
});

describe('the dashboard', () => {
  test('has panels that neither overlap nor share an id', () => {
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x},${y}`), title).toBe(false);
          taken.add(`${x},${y}`);
        }
      }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  test('shows every metric of the gateway', () => {
    const shown = new Set(
      expressions
        .filter(([where]) => where.startsWith('panel'))
        .flatMap(([, expr]) => readPromql(expr).metrics),
    );
    const own = [...metrics.keys()].filter((name) => /^toolgate_(?!config|build)/.test(name));
    const families = new Set([...shown].map(family));
    for (const name of own) expect([...families]).toContain(family(name));
  });
});

describe('Prometheus itself', () => {
  const PROMTOOL = ['/usr/bin/promtool', '/usr/local/bin/promtool'].find(existsSync);
  if (PROMTOOL === undefined) console.warn('No promtool found: the alerts are not played through.');
  const run = (...args: string[]) =>
    spawnSync(PROMTOOL!, args, {
      cwd: new URL('../../deploy/prometheus', import.meta.url),
      encoding: 'utf8',
    });

  test.skipIf(PROMTOOL === undefined)('takes the configuration and the rules', () => {
    const { status, stdout, stderr } = run('check', 'config', 'prometheus.yaml');
    expect(status, stdout + stderr).toBe(0);
  });

  test.skipIf(PROMTOOL === undefined)('fires each alert when it should, and not before', () => {
    const { status, stdout, stderr } = run('test', 'rules', 'alerts.test.yaml');
    expect(status, stdout + stderr).toBe(0);
  });
});
