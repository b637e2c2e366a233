// The review: what is new and what is doubtful, each with the commands that keepmind offers for it.

import { get } from './api.js';
import { button, fill, h, isBeingWritten, words } from './dom.js';
import { notice, write } from './notice.js';
import { count, onDay, title } from './words.js';

const MOST = 200;

let root;

export async function show(element) {
  root = element;
  await draw();
}

export const changed = () => draw();

async function draw() {
  const { review } = await get('/api/review');
  if (isBeingWritten(root)) return;
  const known = review.known.reduce((sum, category) => sum + category.facts.length, 0);
  const told = [
    `${count(known, 'memory', 'memories')} known`,
    review.last_reviewed_at ? `last reviewed ${onDay(review.last_reviewed_at)}` : 'never reviewed',
    review.is_due ? 'due now' : (review.due_at && `due ${onDay(review.due_at)}`),
    review.withdrawn ? `${review.withdrawn} kept and not used` : null,
  ].filter(Boolean).join(' · ');
  const done = () => write('POST', '/api/command', { command: { command: 'reviewed' } });
  fill(root, h('div', { class: 'bar-of-tools' }, h('p', { class: 'status' }, told), button('I have looked through it', done)),
    part('Doubtful', review.doubtful, (doubt) => `${title(doubt.kind)}: ${doubt.reason}`),
    part(`New since ${onDay(review.new_since)}`, review.new, (fact) => `${fact.sure} · since ${onDay(fact.since)}`));
}

async function drawAgain() {
  try {
    await draw();
  } catch (error) {
    notice(error.message, { isProblem: true });
  }
}

function part(heading, entries, told) {
  const shown = entries.slice(0, MOST).map((entry) => card(entry, told(entry)));
  return h('section', {}, h('h2', {}, `${heading} (${entries.length})`),
    h('div', { class: 'cards' }, shown.length ? shown : h('p', { class: 'empty' }, 'Nothing.')));
}

function card(entry, told) {
  const run = async (command) => {
    if (!(await write('POST', '/api/command', { command }))) return;
    // By itself: while another card is being written, nothing is drawn.
    shown.remove();
    await drawAgain();
  };
  const shown = h('article', { class: 'card' },
    h('p', { class: 'said' }, words(entry.content)),
    h('p', { class: 'meta' }, told),
    h('div', { class: 'buttons' }, ...entry.actions.map((offered) => action(offered, run))));
  return shown;
}

/** The command behind a button; `fill_in` names what the user has to say first. */
function action({ action: label, command, fill_in: field }, run) {
  if (!field) return button(title(label), () => run(command));
  const input = h('input', { 'aria-label': 'What it should say', required: true });
  const form = h('form', { class: 'fill-in', hidden: true, on: {
    submit(event) {
      event.preventDefault();
      run({ ...command, [field]: input.value });
    },
  } }, input, h('button', { type: 'submit' }, 'Save'));
  const open = button(title(label), () => {
    form.hidden = !form.hidden;
    if (form.hidden) drawAgain();
    else input.focus();
  });
  return h('span', {}, open, form);
}
