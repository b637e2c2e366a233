// Everything that is known, grouped by category: loaded page by page, the first one shown at once.

import { get, pages } from './api.js';
import { fill, h } from './dom.js';
import { show as openDetail } from './detail.js';
import { notice, write } from './notice.js';
import { grouped, item } from './rows.js';
import { VirtualList } from './virtual.js';
import { count } from './words.js';

const TOGETHER = 40;

let about;
let rows = new Map();
let counts = {};
let list;
let status;
let search;
let type;
let running;
let waits;
let countWaits;
let fresh = null;
let readAt = null;

export async function show(root, context) {
  about = context.about;
  list = new VirtualList({
    label: 'Memories',
    render: item,
    open: (memory) => openDetail(memory.body.number),
    remove: (memory) => write('POST', `/api/memory/${memory.body.number}/forget`),
  });
  status = h('p', { class: 'status', role: 'status' }, 'Reading…');
  search = h('input', { type: 'search', id: 'search', placeholder: 'Search (/)', 'aria-label': 'Search memories',
    on: { input: () => { list.element.scrollTop = 0; later(load); } } });
  type = h('select', { 'aria-label': 'Which kind', on: { change: load } },
    h('option', { value: '' }, 'All'),
    h('option', { value: 'HARD' }, 'Rules'),
    h('option', { value: 'SOFT' }, 'Context'));
  fill(root, h('div', { class: 'bar-of-tools' }, search, type, status), form(), list.element);
  await load();
}

export function leave() {
  running?.abort();
  list?.end();
}

/** A change: only the facts that it names are read anew. */
export async function changed(change) {
  const few = change.facts;
  if (!few || search.value || type.value) return later(load);
  if (few.length === 0) return;
  await Promise.all(few.map(async (number) => {
    try {
      rows.set(number, (await get(`/api/memory/${number}`)).row);
    } catch (error) {
      if (error.status === 404) rows.delete(number);
      else later(load);
    }
  }));
  draw();
  clearTimeout(countWaits);
  countWaits = setTimeout(countAll, 1000);
}

/** Whether something was written since it was read, or may have been. */
export function isOlder(revision) {
  return readAt === null || readAt < revision;
}

function later(run) {
  clearTimeout(waits);
  waits = setTimeout(run, 120);
}

/** Reads all of it: category by category, so that what is on top is there first. */
async function load() {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  const wanted = { search: search.value.trim(), type: type.value };
  const isAll = !wanted.search && !wanted.type;
  const found = new Map();
  counts = {};
  readAt = null;
  const take = (page, { revision } = {}) => {
    readAt ??= revision?.count ?? null;
    for (const memory of page) found.set(memory.body.number, memory);
    rows = found;
    draw();
  };
  try {
    let counted = null;
    const read = (name) => pages('/api/memory', { ...wanted, category: name, limit: TOGETHER }, take, signal);
    for (const category of isAll ? about.categories : [{}]) {
      await read(category.name);
      // After the first rows: counting everything shall not keep them waiting.
      if (isAll) counted ??= countAll();
    }
    await counted;
    // Those that another policy had names for.
    const isKnown = (name) => about.categories.some((category) => category.name === name);
    for (const name of Object.keys(counts).filter((one) => !isKnown(one))) await read(name);
    if (found.size === 0) take([]);
  } catch (error) {
    if (error.name !== 'AbortError') notice(error.message, { isProblem: true });
  }
}

async function countAll() {
  try {
    counts = (await get('/api/stats')).by_category;
    draw();
  } catch {
    // The headings then say how many are there so far.
  }
}

function draw() {
  const isAll = !search.value && !type.value;
  const known = [...rows.values()].sort((one, other) => one.body.number - other.body.number);
  list.set(grouped(known, about.categories, isAll ? counts : {}));
  const all = Object.values(counts).reduce((sum, some) => sum + some, 0);
  const size = isAll ? Math.max(all, known.length) : known.length;
  if (fresh !== null && rows.has(fresh)) {
    list.reveal(list.items.findIndex((entry) => entry.body?.number === fresh));
    fresh = null;
  }
  status.textContent = size ? count(size, 'memory', 'memories') : (isAll ? 'Nothing is known yet.' : 'Nothing fits.');
}

/** A new memory, as the user's own word. */
function form() {
  const content = h('input', { id: 'new', placeholder: 'Something to remember (n)', 'aria-label': 'A new memory',
    required: true, autocomplete: 'off' });
  const category = h('select', { 'aria-label': 'Category' }, ...about.categories
    .filter(({ writable }) => writable)
    .map(({ name, title }) => h('option', { value: name, selected: name === about.default_category }, title)));
  return h('form', { class: 'new', on: {
    async submit(event) {
      event.preventDefault();
      const saved = await write('POST', '/api/memory', { content: content.value, category: category.value });
      if (!saved) return;
      content.value = '';
      fresh = saved.number;
    },
  } }, content, category, h('button', { type: 'submit' }, 'Save'));
}
