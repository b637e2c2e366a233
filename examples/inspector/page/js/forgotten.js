// What was forgotten or thrown away, to bring back or to be rid of for good; and all of it as a file.

import { download, get } from './api.js';
import { button, fill, h } from './dom.js';
import { write } from './notice.js';
import { row } from './rows.js';

let root;

export async function show(element) {
  root = element;
  await draw();
}

export const changed = () => draw();

async function draw() {
  const { rows, next } = await page();
  const list = h('ul', { class: 'plain' }, ...rows.map(entry));
  fill(root,
    h('h2', {}, 'Forgotten and in the trash'),
    rows.length ? list : h('p', { class: 'empty' }, 'Nothing.'),
    next ? older(list, next) : null,
    h('h2', {}, 'Take it with you'),
    h('div', { class: 'buttons' },
      button('Everything, as JSON Lines', () => download('/api/export', 'memories.jsonl')),
      button('What is known, as Markdown', () => download('/api/export.md', 'memories.md'))),
    h('p', { class: 'quiet' }, 'What you have erased here stays in such a file: keep it safe.'));
}

const page = (cursor) => get('/api/forgotten', { limit: 200, cursor });

/** What was put away before that. */
function older(list, cursor) {
  const ask = button('Older', async () => {
    const { rows, next } = await page(cursor);
    list.append(...rows.map(entry));
    ask.replaceWith(...(next ? [older(list, next)] : []));
  });
  return ask;
}

function entry(memory) {
  const number = memory.body.number;
  return h('li', { class: 'row' }, row(memory, { actions: [
    button('Restore', () => write('POST', `/api/memory/${number}/restore`)),
    purge(number),
  ] }));
}

/** Final, so it is asked twice. */
function purge(number) {
  const ask = button('Delete for good', () => {
    ask.replaceWith(sure);
    sure.focus();
  });
  const sure = button('Really: it cannot be undone', () =>
    write('POST', '/api/command', { command: { command: 'purge', target: number } }), { class: 'danger' });
  return ask;
}
