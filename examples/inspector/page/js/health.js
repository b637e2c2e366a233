// How the memory does: what is kept, what was accepted and used, and what wants a look.

import { get } from './api.js';
import { bars, gauge, ring } from './charts.js';
import { fill, h } from './dom.js';
import { title } from './words.js';

let root;
let context;
let waits;

export async function show(element, given) {
  root = element;
  context = given;
  await draw();
}

export function changed() {
  clearTimeout(waits);
  waits = setTimeout(draw, 400);
}

const named = (counts) => Object.entries(counts ?? {}).map(([name, value]) => [title(name), value]);

async function draw() {
  const [stats, metrics, health] = await Promise.all(['stats', 'metrics', 'health'].map((name) => get(`/api/${name}`)));
  const concerns = health.concerns.map((concern) => h('li', {},
    h('span', { class: 'badge' }, title(concern.kind)), ' ',
    ...concern.facts.map((number) => h('button', { type: 'button', class: 'link',
      on: { click: () => context.openMemory(number) } }, `#${number}`)), ' ', concern.reason));
  fill(root, h('div', { class: 'charts' },
    bars('Memories by category', named(stats.by_category)),
    bars('By source', named(stats.by_source)),
    bars('By what became of them', named(stats.by_status)),
    bars('Wants a look', named(health.counts)),
    gauge('Room in the block', health.block.tokens, health.block.budget, 'tokens'),
    h('div', { class: 'rings' },
      ring('Proposals accepted', metrics.acceptance_rate),
      ring('Put in other words', metrics.correction_rate),
      ring('Used when told', metrics.used_rate),
      ring('Cited when used', metrics.citation_rate))),
  h('h2', {}, 'What wants a look'),
  concerns.length ? h('ul', { class: 'concerns' }, ...concerns)
    : h('p', { class: 'empty' }, 'Nothing: no duplicates, contradictions, orphans, junk or stale memories.'));
}
