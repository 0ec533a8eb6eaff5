// The charts: stacked bars of calls by how they ended, and lines of latency. Inline SVG with a text
// of its own for who does not see it.
import { el, sum, svg, words } from './format.js';

/** From the bottom of a bar to its top: what is well, what the caller does, what hurts. */
const ORDER = [
  'ok',
  'declined',
  'cancelled',
  'validation',
  'not_found',
  'permission',
  'rate_limit',
  'bulkhead_full',
  'circuit_open',
  'timeout',
  'connection',
  'execution',
  'configuration',
];

const HEIGHT = 50;
const SLOT = 10;

function canvas(slots, label) {
  const chart = svg('svg', {
    viewBox: `0 0 ${slots * SLOT} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
  });
  const line = { class: 'axis', x1: 0, x2: slots * SLOT, y1: HEIGHT, y2: HEIGHT };
  chart.append(svg('line', line));
  return chart;
}

/** Calls per slot. Returns the chart and the largest number of calls in a slot. */
export function barChart({ ok, byCategory }, label) {
  const lists = { ...byCategory, ok };
  const series = ORDER.filter((name) => lists[name]).map((name) => [name, lists[name]]);
  const totals = ok.map((_, i) => sum(series.map(([, list]) => list[i])));
  const peak = Math.max(...totals);
  const chart = canvas(ok.length, label);
  for (let i = 0; i < ok.length; i += 1) {
    let y = HEIGHT;
    for (const [name, list] of series) {
      if (!list[i]) continue;
      // One failure among a thousand calls must still be seen.
      const height = Math.max((list[i] / peak) * (HEIGHT - 2), name === 'ok' ? 1 : 2.5);
      y -= height;
      const place = { x: i * SLOT + 1, y, width: SLOT - 2, height };
      chart.append(svg('rect', { class: `c-${name}`, ...place }));
    }
  }
  return { chart, peak };
}

/** A path with gaps where nothing was measured; a lone value is a short line. */
function path(values, top) {
  const known = (i) => (values[i] ?? null) !== null;
  let d = '';
  values.forEach((value, i) => {
    if (value === null) return;
    const x = i * SLOT + SLOT / 2;
    const y = (HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1);
    if (known(i - 1)) d += `L${x} ${y}`;
    else d += known(i + 1) ? `M${x} ${y}` : `M${x - 4} ${y}h8`;
  });
  return d;
}

/** Median and 95th percentile. Returns the chart and its largest value. */
export function lineChart({ p50, p95 }, label) {
  const top = Math.max(...p95);
  const chart = canvas(p50.length, label);
  for (const [name, values] of Object.entries({ p95, p50 })) {
    const d = path(values, Math.max(top, 0.1));
    chart.append(svg('path', { class: name, d, 'vector-effect': 'non-scaling-stroke' }));
  }
  return { chart, top };
}

/** What the colours stand for, with the counts. */
export function legend(list, ok, byCategory) {
  const counts = { ...byCategory, ok };
  const entries = ORDER.filter((name) => counts[name]).map((name) => {
    const text = `${words(name)} ${counts[name].toLocaleString('en')}`;
    return el('li', {}, el('span', { className: `dot c-${name}` }), text);
  });
  list.replaceChildren(...entries);
}
