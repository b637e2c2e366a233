// What a model is told at the start of a chat, byte for byte, and how much room it takes.

import { get } from './api.js';
import { gauge } from './charts.js';
import { fill, h } from './dom.js';
import { count } from './words.js';

let root;

export async function show(element) {
  root = element;
  await draw();
}

export const changed = () => draw();

async function draw() {
  const block = await get('/api/block');
  const out = block.left_out;
  fill(root, h('div', { class: 'prompt' },
    gauge('Room for memories', block.tokens, block.budget, 'tokens'),
    h('p', { class: 'status' }, `${count(block.rows.length, 'memory', 'memories')} in it${
      out ? `; ${out.toLocaleString()} more are found by recall` : ''}.`),
    h('h2', {}, 'Memories'),
    h('pre', { class: 'exact', tabindex: 0, 'aria-label': 'The block' }, block.text || '(empty)'),
    h('h2', {}, 'Standing text'),
    h('pre', { class: 'exact', tabindex: 0, 'aria-label': 'The standing text' }, block.standing || '(empty)')));
}
