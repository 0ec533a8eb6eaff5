// How the page writes numbers, and how it makes elements. Text goes in through textContent only: the
// name of a tool is somebody else's.
/* global document */

const SVG = 'http://www.w3.org/2000/svg';

export function el(tag, props = {}, ...children) {
  const node = Object.assign(document.createElement(tag), props);
  node.append(...children);
  return node;
}

export function svg(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

export const sum = (list) => list.reduce((total, n) => total + n, 0);

export const words = (name) => name.replaceAll('_', ' ');

export function number(n) {
  return n >= 100 ? Math.round(n).toLocaleString('en') : String(Math.round(n * 10) / 10);
}

export function ms(value) {
  if (value === null) return '–';
  if (value >= 10_000) return `${number(value / 1000)} s`;
  return value >= 100 ? `${Math.round(value)} ms` : `${number(value)} ms`;
}

/** A length of time in its largest unit; whole seconds, so that a countdown can be read. */
export function span(milliseconds) {
  const s = Math.max(0, Math.round(milliseconds / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d`;
}

/** Never "100 %" while one is missing. */
export function share(part, whole) {
  if (whole === 0) return '–';
  return part === whole ? '100 %' : `${Math.min(99.9, (100 * part) / whole).toFixed(1)} %`;
}
