// The comparison as a drawing: per scenario, how many calls have succeeded by when. Plain SVG with
// its own colours for light and dark, readable without them: every line is named at its end.
import type { Measured } from './measure.js';

const PANEL = { width: 460, height: 230, left: 48, right: 180, top: 46, bottom: 34 };
const COLUMNS = 2;
const STEPS = 120;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 13px; }
  .axis { stroke: #8c959f; stroke-width: 1; }
  .best { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 3 3; }
  .line { fill: none; stroke-width: 2; }
  .p0 { stroke: #0969da; } .p1 { stroke: #bc4c00; stroke-dasharray: 7 3; } .p2 { stroke: #8250df; stroke-dasharray: 2 2; }
  .back { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .back { fill: #0d1117; }
    .p0 { stroke: #58a6ff; } .p1 { stroke: #f0883e; } .p2 { stroke: #bc8cff; }
  }`;

/** Draws the scenarios side by side, two in a row. */
export function toSvg(measured: readonly Measured[]): string {
  const scenarios = [...new Set(measured.map(({ scenario }) => scenario))];
  const width = COLUMNS * PANEL.width;
  const height = Math.ceil(scenarios.length / COLUMNS) * PANEL.height;
  const panels = scenarios.map((scenario, at) => {
    const x = (at % COLUMNS) * PANEL.width;
    const y = Math.floor(at / COLUMNS) * PANEL.height;
    const runs = measured.filter((one) => one.scenario === scenario);
    return `<g transform="translate(${x} ${y})">${panel(runs)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Calls that have succeeded, over time, for three ways of retrying">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    ...panels,
    '</svg>',
    '',
  ].join('\n');
}

function panel(runs: readonly Measured[]): string {
  const [first] = runs;
  if (first === undefined) return '';
  const { width, height, left, right, top, bottom } = PANEL;
  const calls = Math.max(...runs.map(({ successes }) => successes.length));
  const endMs = Math.max(...runs.map(({ successes }) => successes.at(-1) ?? 0));
  const x = (ms: number): number => left + (ms / endMs) * (width - left - right);
  const y = (done: number): number => height - bottom - (done / calls) * (height - top - bottom);
  const best = x(Math.min(first.scenario.bestMs, endMs)).toFixed(1);
  const parts = [
    `<text class="title" x="${left}" y="18">(${first.scenario.id}) ${first.scenario.title}</text>`,
    `<path class="axis" fill="none" d="M${left} ${top} V${height - bottom} H${width - right}"/>`,
    `<path class="best" d="M${best} ${top} V${height - bottom}"/>`,
    `<text x="${best}" y="${top - 6}" text-anchor="middle">best</text>`,
    `<text x="${left - 6}" y="${top + 4}" text-anchor="end">${calls}</text>`,
    `<text x="${left - 6}" y="${height - bottom}" text-anchor="end">0</text>`,
    `<text x="${width - right}" y="${height - bottom + 16}" text-anchor="end">${(endMs / 1000).toFixed(0)} s</text>`,
    ...runs.map((run, at) => line(run, at, x, y)),
    ...legend(runs),
  ];
  return parts.join('\n');
}

function line(
  run: Measured,
  at: number,
  x: (ms: number) => number,
  y: (done: number) => number,
): string {
  const { successes } = run;
  const points = Array.from({ length: STEPS + 1 }, (_, step) => {
    const done = Math.round((step / STEPS) * successes.length);
    const ms = done === 0 ? 0 : (successes[done - 1] ?? 0);
    return `${x(ms).toFixed(1)},${y(done).toFixed(1)}`;
  });
  return `<polyline class="line p${at}" points="${points.join(' ')}"/>`;
}

function legend(runs: readonly Measured[]): string[] {
  const x = PANEL.width - PANEL.right + 10;
  return runs.map((run, at) => {
    const y = PANEL.top + 14 + at * 36;
    const seconds = (run.finishedMs / 1000).toFixed(1);
    const asked = run.requestsPerSuccess.toFixed(1);
    return [
      `<path class="line p${at}" d="M${x} ${y - 4} h16"/>`,
      `<text x="${x + 20}" y="${y}">${run.policy.name.split(',')[0] ?? ''}</text>`,
      `<text x="${x + 20}" y="${y + 14}">${seconds} s, asked ${asked} times</text>`,
    ].join('\n');
  });
}
