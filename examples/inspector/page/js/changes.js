// Everything that was written, the latest first: anything of it can be taken back from here.

import { get } from './api.js';
import { button, fill, h, words } from './dom.js';
import { takeBack } from './notice.js';
import { at, who } from './words.js';

let root;

export async function show(element) {
  root = element;
  await draw();
}

export const changed = () => draw();

async function draw() {
  const { changes } = await get('/api/changes', { limit: 100 });
  const shown = changes.map((change) => h('li', {},
    h('div', { class: 'lines' }, words(change.line),
      h('span', { class: 'meta' }, `${at(change.at)} · ${who(change.who)}`)),
    change.undo ? button(change.is_undo ? 'Redo' : 'Undo',
      () => takeBack({ undo: change.undo, isUndo: change.is_undo })) : null));
  fill(root, shown.length ? h('ul', { class: 'plain' }, ...shown) : h('p', { class: 'empty' }, 'Nothing was written yet.'));
}
