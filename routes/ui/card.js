// One tool on the page: its state with the breaker's countdown, its numbers, charts and last failures.
import { barChart, legend, lineChart } from './charts.js';
import { el, ms, number, share, span, sum } from './format.js';

/** Categories that say the tool or the gateway is in trouble, not the caller. */
const TROUBLE = [
  'timeout',
  'connection',
  'execution',
  'configuration',
  'circuit_open',
  'bulkhead_full',
  'rate_limit',
];

/** The share of the last minute's calls that ended in trouble. */
function troubleShare({ recent }) {
  if (recent === null) return 0;
  const lastMinute = (list) => sum(list.slice(-6));
  const { ok, byCategory } = recent.slots;
  const bad = sum(TROUBLE.map((name) => lastMinute(byCategory[name] ?? [])));
  const all = lastMinute(ok) + sum(Object.values(byCategory).map(lastMinute));
  return all === 0 ? 0 : bad / all;
}

/** Whether a person should look at the tool. */
export const hurts = (tool) => tool.status !== 'ok' || troubleShare(tool) >= 0.05;

/** Tone and words of the badge, `elapsed` milliseconds after the server spoke. */
function stateOf(tool, elapsed) {
  const { breaker } = tool;
  if (tool.fault !== null) return ['bad', 'misconfigured'];
  if (breaker?.state === 'open') {
    const wait = breaker.retry_after_ms;
    if (wait === null) return ['bad', 'breaker open'];
    const left = wait - elapsed;
    return ['bad', left <= 0 ? 'open, probe due' : `open, probe in ${span(left)}`];
  }
  if (breaker?.state === 'half_open') return ['warn', 'half-open, probing'];
  if (tool.cooldown_ms > elapsed)
    return ['warn', `cooling down, ${span(tool.cooldown_ms - elapsed)}`];
  return hurts(tool) ? ['warn', 'failing'] : ['good', breaker === null ? 'fine' : 'breaker closed'];
}

function fact(label, value) {
  const name = el('span', { className: 'soft', textContent: label });
  return el('span', {}, name, el('b', { textContent: value }));
}

const outOf = (n, limit) => (limit === null ? String(n) : `${n} of ${limit}`);

export class Card {
  constructor(name) {
    this.badge = el('span', { className: 'badge' });
    this.facts = el('div', { className: 'facts' });
    this.fault = el('p', { hidden: true });
    this.bars = el('div');
    this.peak = el('span');
    this.legend = el('ul', { className: 'legend' });
    this.lines = el('div');
    this.latency = el('span');
    this.charts = el(
      'div',
      {},
      el('figure', {}, this.bars, caption('calls, last 5 min', this.peak)),
      this.legend,
      el('figure', {}, this.lines, caption('latency: p50, p95 dashed', this.latency)),
    );
    this.summary = el('summary');
    this.codes = el('ul');
    this.details = el('details', {}, this.summary, this.codes);
    const head = el('div', { className: 'head' }, el('h3', { textContent: name }), this.badge);
    this.root = el('article', {}, head, this.facts, this.fault, this.charts, this.details);
    this.root.setAttribute('aria-label', name);
  }

  /** Shows the tool as the server gave it at `at`. */
  update(tool, failures, at, slotMs) {
    this.tool = tool;
    this.root.className = hurts(tool) ? 'hurt' : '';
    this.tick(0);
    this.#showFacts(tool);
    this.#showCharts(tool.recent, slotMs);
    this.fault.hidden = tool.fault === null;
    this.fault.textContent = tool.fault ?? '';
    this.details.hidden = failures.length === 0;
    this.summary.textContent = `Last failures (${failures.length} ${failures.length === 1 ? 'code' : 'codes'})`;
    this.codes.replaceChildren(
      ...failures.map(({ code, count, last_at: last }) => {
        const text = ` × ${count.toLocaleString('en')}, last ${span(at - last)} ago`;
        return el('li', {}, el('code', { textContent: code }), text);
      }),
    );
  }

  /** Lets the countdown go on between two words of the server. */
  tick(elapsed) {
    const [tone, text] = stateOf(this.tool, elapsed);
    this.badge.className = `badge ${tone}`;
    if (this.badge.textContent !== text) this.badge.textContent = text;
  }

  #showFacts({ recent, in_flight: inFlight, queued, limits }) {
    this.facts.replaceChildren(
      fact('calls/s', number(recent?.perSecond ?? 0)),
      fact('ok', recent === null ? '–' : share(recent.ok, recent.calls)),
      fact('in flight', outOf(inFlight, limits.max_concurrent)),
      fact('p50', ms(recent?.p50 ?? null)),
      fact('p95', ms(recent?.p95 ?? null)),
      fact('queued', outOf(queued, limits.max_queue)),
    );
  }

  #showCharts(recent, slotMs) {
    this.charts.hidden = recent === null;
    if (recent === null) return;
    const { calls, ok, p50, p95, slots } = recent;
    const bars = barChart(slots, `${calls} calls in five minutes, ${ok} of them ok`);
    this.bars.replaceChildren(bars.chart);
    this.peak.textContent = `peak ${number(bars.peak / (slotMs / 1000))} calls/s`;
    legend(this.legend, ok, recent.byCategory);
    const lines = lineChart(slots, `latency: median ${ms(p50)}, 95th percentile ${ms(p95)}`);
    this.lines.replaceChildren(lines.chart);
    this.latency.textContent = p95 === null ? 'asked nobody' : `worst p95 ${ms(lines.top)}`;
  }
}

function caption(text, right) {
  return el('figcaption', {}, el('span', { textContent: text }), right);
}
