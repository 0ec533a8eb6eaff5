// The page: takes what the server says and puts it in its places.
/* global document, HTMLInputElement */
import { Card, hurts } from './card.js';
import { barChart, legend } from './charts.js';
import { follow } from './events.js';
import { el, number, share, span, sum, words } from './format.js';

const MAX_CARDS = 60;
const MAX_QUIET = 300;
const MAX_ROWS = 20;
const STALE_AFTER_MS = 6000;

const $ = (id) => document.getElementById(id);
const cards = new Map();
let model = null;
let receivedAt = 0;

/** Puts nodes in this order without touching those that stand right, so that focus stays. */
function place(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, i) => {
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] ?? null);
  });
}

function section(id, title, nodes) {
  $(id).hidden = nodes.length === 0;
  $(id).querySelector('h2').textContent = `${title} (${nodes.length})`;
  place($(id).lastElementChild, nodes);
}

/** All tools as one. */
function total(tools) {
  const all = { calls: 0, ok: 0, rate: 0, byCategory: {} };
  const slots = { ok: new Array(model.slots).fill(0), byCategory: {} };
  for (const { recent } of tools) {
    if (recent === null) continue;
    all.calls += recent.calls;
    all.ok += recent.ok;
    all.rate += recent.perSecond;
    recent.slots.ok.forEach((n, i) => (slots.ok[i] += n));
    for (const [name, list] of Object.entries(recent.slots.byCategory)) {
      const into = (slots.byCategory[name] ??= new Array(model.slots).fill(0));
      list.forEach((n, i) => (into[i] += n));
      all.byCategory[name] = (all.byCategory[name] ?? 0) + sum(list);
    }
  }
  return { ...all, slots };
}

function renderOverview(tools) {
  const { calls, ok, rate, byCategory, slots } = total(tools);
  $('overview').hidden = false;
  $('t-rate').textContent = number(rate);
  $('t-ok').textContent = share(ok, calls);
  $('t-flight').textContent = number(sum(tools.map((tool) => tool.in_flight)));
  $('t-queue').textContent = number(sum(tools.map((tool) => tool.queued)));
  $('t-open').textContent = tools.filter((tool) => tool.breaker?.state === 'open').length;
  const { chart, peak } = barChart(slots, `${calls} calls of all tools in five minutes, ${ok} ok`);
  $('all-chart').replaceChildren(chart);
  $('all-peak').textContent = `peak ${number(peak / (model.slot_ms / 1000))} calls/s`;
  legend($('all-legend'), ok, byCategory);
}

function renderTools(tools) {
  const wanted = $('find').value.trim().toLowerCase();
  const onlyHurting = $('hurting').checked;
  const found = tools
    .filter((tool) => tool.name.toLowerCase().includes(wanted))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const hurting = found.filter(hurts);
  const well = onlyHurting ? [] : found.filter((tool) => !hurts(tool));
  const working = well.filter((tool) => tool.recent !== null);
  const quiet = well.filter((tool) => tool.recent === null);
  const shown = new Set([...hurting, ...working].slice(0, MAX_CARDS));
  updateCards(shown);
  const nodes = (list) =>
    list.filter((tool) => shown.has(tool)).map(({ name }) => cards.get(name).root);
  section('s-hurt', 'Needs attention', nodes(hurting));
  section('s-work', 'Working', nodes(working));
  const chips = quiet.slice(0, MAX_QUIET).map(({ name }) => el('li', { textContent: name }));
  section('s-quiet', 'Not called lately', chips);
  const left = hurting.length + well.length - shown.size - chips.length;
  const nothing = onlyHurting ? 'Nothing needs attention.' : 'No tool has such a name.';
  $('more').hidden = left === 0 && shown.size + chips.length > 0;
  $('more').textContent = left > 0 ? `${left} more: narrow the search.` : nothing;
}

function updateCards(shown) {
  const failures = new Map([...shown].map(({ name }) => [name, []]));
  for (const failure of model.failures) failures.get(failure.tool)?.push(failure);
  for (const name of cards.keys()) if (!failures.has(name)) cards.delete(name);
  for (const tool of shown) {
    if (!cards.has(tool.name)) cards.set(tool.name, new Card(tool.name));
    cards.get(tool.name).update(tool, failures.get(tool.name), model.at, model.slot_ms);
  }
}

function failureRow({ tool, code, category, count, last_at: last }) {
  return el(
    'tr',
    {},
    el('td', { className: 'num', textContent: `${span(model.at - last)} ago` }),
    el('td', {}, el('code', { textContent: code })),
    el('td', {}, el('span', { className: `dot c-${category}` }), words(category)),
    el('td', {}, el('code', { textContent: tool })),
    el('td', { className: 'num', textContent: count.toLocaleString('en') }),
  );
}

function serverChip({ name, state }) {
  const tone = state === 'connected' ? 'good' : 'bad';
  return el('li', {}, `${name} `, el('span', { className: `badge ${tone}`, textContent: state }));
}

function showStatus(tone, text) {
  $('status').className = `badge ${tone}`;
  if ($('status').textContent !== text) $('status').textContent = text;
  document.title = text === 'ok' ? 'Toolgate' : `Toolgate: ${text}`;
}

function render() {
  const { status, tools, failures, mcp_servers: servers } = model;
  showStatus({ ok: 'good', degraded: 'warn' }[status] ?? 'bad', status);
  $('about').textContent = `version ${model.version}, up ${span(model.uptime_ms)}`;
  $('keyform').hidden = tools !== null;
  $('filters').hidden = tools === null;
  if (tools === null) return;
  renderOverview(tools);
  renderTools(tools);
  $('failures').hidden = failures.length === 0;
  $('rows').replaceChildren(...failures.slice(0, MAX_ROWS).map(failureRow));
  $('servers').hidden = servers === null || servers.length === 0;
  $('serverlist').replaceChildren(...(servers ?? []).map(serverChip));
}

const listener = {
  onSnapshot(snapshot) {
    model = snapshot;
    receivedAt = performance.now();
    render();
  },
  onRefused() {
    $('keynote').textContent = 'This key is not known.';
    stop = follow('', listener);
  },
  onLost() {
    showStatus('bad', 'no connection');
  },
};
let stop = follow('', listener);

setInterval(() => {
  if (model === null) return;
  const elapsed = performance.now() - receivedAt;
  for (const card of cards.values()) card.tick(elapsed);
  $('live').textContent = elapsed < STALE_AFTER_MS ? 'live' : `last news ${span(elapsed)} ago`;
}, 500);

$('keyform').addEventListener('submit', (event) => {
  event.preventDefault();
  stop();
  $('keynote').textContent = '';
  stop = follow($('key').value, listener);
  $('key').value = '';
});
$('filters').addEventListener('submit', (event) => event.preventDefault());
for (const id of ['find', 'hurting']) {
  $(id).addEventListener('input', () => model?.tools && renderTools(model.tools));
}
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLInputElement;
  if (event.key !== '/' || event.ctrlKey || event.metaKey || typing) return;
  event.preventDefault();
  $('find').focus();
});
