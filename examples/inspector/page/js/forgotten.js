// What was forgotten or thrown away, to bring back or to be rid of for good; and all of it as a file.

import { download, get } from './api.js';
import { button, fill, h } from './dom.js';
import { write } from './notice.js';
import { row } from './rows.js';

/** How many more are shown at once. */
const STEP = 200;

let root;
/** How many are wanted: what happens meanwhile does not fold the list up again. */
let wanted = STEP;

export async function show(element) {
  root = element;
  wanted = STEP;
  await draw();
}

export const changed = () => draw();

async function draw() {
  const rows = [];
  let cursor;
  do {
    const page = await get('/api/forgotten', { limit: STEP, cursor });
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor && rows.length < wanted);
  fill(root,
    h('h2', {}, 'Forgotten and in the trash'),
    rows.length ? h('ul', { class: 'plain' }, ...rows.map(entry)) : h('p', { class: 'empty' }, 'Nothing.'),
    cursor ? button('Older', () => {
      wanted = rows.length + STEP;
      return draw();
    }) : null,
    h('h2', {}, 'Take it with you'),
    h('div', { class: 'buttons' },
      button('Everything, as JSON Lines', () => download('/api/export', 'memories.jsonl')),
      button('What is known, as Markdown', () => download('/api/export.md', 'memories.md'))),
    h('p', { class: 'quiet' }, 'What you have erased here stays in such a file: keep it safe.'));
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
