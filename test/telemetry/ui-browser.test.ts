// The page in a real browser. Where no Chromium is found the tests say so and are skipped.
import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { Problem } from '../../src/plugins/problem.js';
import { everything, feed, startUi, state, stopUi, type UiServer } from './fixtures/ui-server.js';

const CHROMIUM = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path));

if (CHROMIUM === undefined) {
  console.warn('No Chromium found (CHROMIUM_PATH, /usr/bin/chromium): the page is not tested.');
}

/** A good tool, one whose breaker is open, one that times out and declines, one that rests. */
const STATES = [
  state('weather.forecast', { in_flight: 3 }),
  state('flights.search', {
    status: 'degraded',
    breaker: { state: 'open', retry_after_ms: 24_000 },
  }),
  state('hotels.book', { in_flight: 30, queued: 14 }),
  state('mail.send', {
    status: 'misconfigured',
    fault: 'input_schema: /properties/to: unknown type',
  }),
  state('notes.search', { status: 'degraded', cooldown_ms: 8000 }),
  state('maps.route', { breaker: null }),
  state('calc.add'),
  state('translate.text'),
];

function feedHistory(server: UiServer): void {
  const wave = (slot: number, by: number): number => 1 + 0.35 * Math.sin(slot / by);
  feed(server.metrics, {
    'weather.forecast': {
      calls: (slot) => Math.round(90 * wave(slot, 4)),
      latencyMs: (slot, call) => 38 * wave(slot, 3) + (call % 20) * 4,
      fails: (slot, call) => (call === 0 && slot % 9 === 4 ? 'TOOL_ARGUMENT_ERROR' : undefined),
    },
    'flights.search': {
      calls: (slot) => Math.round(60 * wave(slot, 5)),
      latencyMs: (slot, call) => (slot < 19 ? 120 + (call % 10) * 20 : 900 + (call % 10) * 60),
      fails: (slot, call) => {
        if (slot < 19 || call % 3 === 0) return undefined;
        if (slot > 23) return 'TOOL_CIRCUIT_OPEN';
        return call % 2 === 0 ? 'UPSTREAM_UNAVAILABLE' : 'TOOL_TIMEOUT';
      },
    },
    'hotels.book': {
      calls: (slot) => Math.round(25 * wave(slot, 2)),
      latencyMs: (_slot, call) => 400 + call * 30,
      fails: (_slot, call) =>
        call % 11 === 0 ? 'TOOL_TIMEOUT' : call % 6 === 0 ? 'TOOL_DECLINED' : undefined,
    },
    'notes.search': {
      calls: (slot) => (slot % 2 === 0 ? 12 : 8),
      latencyMs: (_slot, call) => 60 + call * 5,
      fails: (slot, call) => (slot > 26 && call % 2 === 0 ? 'TOOL_RATE_LIMITED' : undefined),
    },
    'maps.route': { calls: (slot) => (slot % 7 === 0 ? 3 : 0), latencyMs: () => 210 },
  });
}

describe.skipIf(CHROMIUM === undefined)('the page in Chromium', () => {
  let browser: Browser;
  let server: UiServer;
  let page: Page;
  const complaints: string[] = [];
  const origins = new Set<string>();

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser.close();
  });

  beforeEach(async () => {
    server = await startUi(STATES);
    feedHistory(server);
    complaints.length = 0;
    origins.clear();
    await openPage({ width: 1240, height: 900 });
  });

  afterEach(async () => {
    await page.context().close();
    await stopUi(server);
    vi.restoreAllMocks();
  });

  async function openPage(viewport: { width: number; height: number }, dark = false) {
    const context = await browser.newContext({ viewport, colorScheme: dark ? 'dark' : 'light' });
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await page.goto(`${server.url}/ui`);
  }

  async function reopen(viewport: { width: number; height: number }, dark = false) {
    await page.context().close();
    await openPage(viewport, dark);
  }

  const card = (name: string) => page.getByRole('article', { name, exact: true });
  const focused = () => page.evaluate<string>('document.activeElement.tagName');
  const badge = (name: string) => card(name).locator('.badge');

  test('shows what hurts first, the working tools, and those that rest', async () => {
    await card('flights.search').waitFor();
    const names = (section: string) => page.locator(`#${section} h3`).allTextContents();
    expect(await names('s-hurt')).toEqual([
      'flights.search',
      'hotels.book',
      'mail.send',
      'notes.search',
    ]);
    expect(await names('s-work')).toEqual(['maps.route', 'weather.forecast']);
    expect(await page.locator('#s-quiet li').allTextContents()).toEqual([
      'calc.add',
      'translate.text',
    ]);
    expect(await page.locator('#status').textContent()).toBe('degraded');
    expect(await page.locator('#t-open').textContent()).toBe('1');
    expect(await card('hotels.book').locator('.facts').textContent()).toContain('30 of 32');
    expect(await page.locator('#serverlist').textContent()).toContain('files disconnected');
  });

  test('charts calls, failures by category and latency, and says so in words', async () => {
    const flights = card('flights.search');
    const chart = flights.getByRole('img', { name: /calls in five minutes, \d+ of them ok/ });
    await chart.waitFor();
    for (const category of ['ok', 'timeout', 'connection', 'circuit_open']) {
      expect(await chart.locator(`rect.c-${category}`).count(), category).toBeGreaterThan(0);
    }
    expect(await flights.locator('.legend').textContent()).toContain('circuit open');
    const latency = flights.getByRole('img', { name: /latency: median .* ms/ });
    expect(await latency.locator('path').count()).toBe(2);
  });

  test('counts the breaker down, then follows the server, and leaves focus where it is', async () => {
    await badge('flights.search').waitFor();
    const flights = badge('flights.search');
    const seconds = async (): Promise<number> =>
      Number(/^open, probe in (\d+) s$/.exec((await flights.textContent()) ?? '')?.[1]);
    const before = await seconds();
    expect(before).toBeGreaterThan(20);
    await vi.waitFor(async () => expect(await seconds()).toBeLessThan(before), { timeout: 15_000 });
    await card('flights.search').locator('summary').focus();
    server.states.set('flights.search', state('flights.search'));
    await vi.waitFor(async () => expect(await flights.textContent()).toBe('failing'), {
      timeout: 15_000,
    });
    expect(await page.locator('#live').textContent()).toBe('live');
    expect(await focused()).toBe('SUMMARY');
  });

  test('names the last failures by code, newest first', async () => {
    await page.locator('#rows tr').first().waitFor();
    const codes = await page.locator('#rows td:nth-child(2)').allTextContents();
    expect(new Set(codes)).toEqual(
      new Set([
        'TOOL_ARGUMENT_ERROR',
        'TOOL_CIRCUIT_OPEN',
        'TOOL_RATE_LIMITED',
        'TOOL_TIMEOUT',
        'UPSTREAM_UNAVAILABLE',
      ]),
    );
    const text = await page.locator('body').textContent();
    expect(text).not.toContain('upstream text that must not be seen');
  });

  test('works by keyboard alone', async () => {
    await card('flights.search').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('flights');
    await card('hotels.book').waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const details = card('flights.search').locator('details');
    expect(await details.getAttribute('open')).toBeNull();
    await page.keyboard.press('Enter');
    await card('flights.search').getByText('UPSTREAM_UNAVAILABLE').waitFor();
    expect(await focused()).toBe('SUMMARY');
  });

  test('shows the text of a fault as text', async () => {
    const fault = 'input_schema: <b id="evil">bad</b> type';
    server.states.set('mail.send', state('mail.send', { status: 'misconfigured', fault }));
    await page.getByText('<b id="evil">bad</b>').waitFor();
    expect(await page.locator('#evil').count()).toBe(0);
  });

  test('fits a phone, in the dark as well', async () => {
    await reopen({ width: 360, height: 740 }, true);
    await card('flights.search').waitFor();
    expect(await page.evaluate<number>('document.body.scrollWidth')).toBeLessThanOrEqual(360);
    const background = 'getComputedStyle(document.body).backgroundColor';
    expect(await page.evaluate<string>(background)).toBe('rgb(18, 21, 26)');
    await savePicture('ui-phone');
  });

  test('asks for a key where tools are shown to callers only, and says when it is wrong', async () => {
    server.visible = (key) => {
      if (key === 'wrong-key') {
        throw new Problem({
          status: 401,
          code: 'TOOL_NOT_PERMITTED',
          title: 'Unauthorized',
          detail: 'A valid key is required.',
        });
      }
      return key === 'planner-key' ? everything : undefined;
    };
    await reopen({ width: 900, height: 700 });
    await page.getByLabel('API key').fill('wrong-key');
    await page.keyboard.press('Enter');
    await page.getByText('This key is not known.').waitFor();
    expect(await page.locator('article').count()).toBe(0);
    await page.getByLabel('API key').fill('planner-key');
    await page.keyboard.press('Enter');
    await card('flights.search').waitFor();
    expect(await page.locator('#keyform').isHidden()).toBe(true);
  });

  test('loads nothing from outside and breaks no rule of its content security policy', async () => {
    await card('flights.search').waitFor();
    expect([...origins]).toEqual([server.url]);
    expect(complaints).toEqual([]);
    await savePicture('ui');
  });

  test('says when the connection is gone, and comes back by itself', async () => {
    await card('flights.search').waitFor();
    const port = Number(new URL(server.url).port);
    await stopUi(server);
    await page.getByText('no connection').waitFor();
    // The same address again, as after a restart.
    const { app } = await startUi([state('calc.add')], port);
    server = { ...server, app };
    await page.locator('#status', { hasText: /^ok$/ }).waitFor();
  });

  /** Set UI_PICTURES to a folder to keep what the browser shows (docs/images). */
  async function savePicture(name: string): Promise<void> {
    const folder = process.env['UI_PICTURES'];
    if (folder === undefined) return;
    await page.locator('#live', { hasText: 'live' }).waitFor();
    await page.screenshot({ path: `${folder}/${name}.png` });
  }
});
