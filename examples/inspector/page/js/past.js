// What the assistant knew on any day: a slider over all days since the first memory.

import { get, pages } from './api.js';
import { fill, h } from './dom.js';
import { show as openDetail } from './detail.js';
import { notice } from './notice.js';
import { grouped, item } from './rows.js';
import { VirtualList } from './virtual.js';
import { count, onDay } from './words.js';

const DAY = 86_400_000;

let about;
let list;
let slider;
let label;
let status;
let running;
let first;
let last;

export async function show(root, context) {
  about = context.about = await get('/api/about');
  last = startOf(new Date());
  first = about.since ? startOf(new Date(about.since)) : last;
  const days = Math.round((last - first) / DAY);
  const render = (entry) => item(entry, { until: moment().getTime() });
  list = new VirtualList({ label: 'What was known', render, open: (row) => openDetail(row.body.number) });
  label = h('output', { class: 'day', for: 'day' });
  status = h('p', { class: 'status', role: 'status' });
  slider = h('input', { type: 'range', id: 'day', min: 0, max: days, step: 1, value: days,
    'aria-label': 'Which day', on: { input: soon } });
  slider.value = days;
  fill(root, h('div', { class: 'slider' },
    h('label', { for: 'day' }, 'What was known on '), label,
    h('div', { class: 'track' }, h('span', {}, onDay(first)), slider, h('span', {}, 'today'))), status, list.element);
  await load();
}

export function leave() {
  running?.abort();
  list?.end();
}

export const changed = () => soon();

let waits;
function soon() {
  say();
  clearTimeout(waits);
  waits = setTimeout(load, 80);
}

function startOf(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** The end of the chosen day: noon is on that day however clocks were changed in between. */
function moment() {
  const noon = new Date(first + Number(slider.value) * DAY + DAY / 2);
  return new Date(Math.min(startOf(noon) + DAY - 1, Date.now()));
}

function say() {
  label.textContent = onDay(moment());
  slider.setAttribute('aria-valuetext', label.textContent);
}

async function load() {
  running?.abort();
  running = new AbortController();
  say();
  const stamp = moment().toISOString();
  const rows = [];
  try {
    await pages('/api/as-of', { valid: stamp, known: stamp }, (page) => {
      rows.push(...page);
      list.set(grouped(rows, about.categories));
      status.textContent = rows.length ? count(rows.length, 'memory', 'memories') : 'Nothing was known yet.';
    }, running.signal);
  } catch (error) {
    if (error.name !== 'AbortError') notice(error.message, { isProblem: true });
  }
}
