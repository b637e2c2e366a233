// One memory in full: what it says, how it is known, its life, and what can be done about it.

import { get } from './api.js';
import { button, fill, h, isBeingWritten, words } from './dom.js';
import { write } from './notice.js';
import { evidence } from './rows.js';
import { timeline } from './timeline.js';
import { at, onDay, source, sure, title, trust } from './words.js';

const panel = document.getElementById('detail');
let shown = null;
let drawn = null;
let before = null;
let goTo = () => {};

/** Where links to chats lead. */
export function linkChats(open) {
  goTo = open;
}

export async function show(number) {
  if (panel.hidden) before = document.activeElement;
  shown = number;
  panel.hidden = false;
  await draw();
  panel.focus();
}

export function close() {
  if (panel.hidden) return false;
  panel.hidden = true;
  shown = null;
  drawn = null;
  panel.replaceChildren();
  // A row that was drawn anew meanwhile has another element in its place.
  const row = document.querySelector('.list .row[tabindex="0"]');
  (before?.isConnected ? before : row)?.focus();
  return true;
}

export async function changed(change) {
  if (shown !== null && (!change.facts || change.facts.includes(shown))) await draw();
}

/** Opens the form, where a memory is open: the key e. */
export function edit() {
  panel.querySelector('details.edit')?.setAttribute('open', '');
  panel.querySelector('textarea')?.focus();
}

async function draw() {
  const number = shown;
  if (number === null) return;
  const closing = button('Close (Esc)', close, { class: 'close' });
  try {
    const [fact, life] = await Promise.all([
      get(`/api/memory/${number}`).catch((error) => ({ gone: error.message })),
      get(`/api/memory/${number}/timeline`),
    ]);
    if (number !== shown || isKept()) return;
    drawn = number;
    const parts = fact.gone ? [h('p', { class: 'gone' }, fact.gone)] : live(fact);
    fill(panel, h('div', { class: 'head' }, h('h2', {}, `#${number}`), closing), parts, timeline(life));
  } catch (error) {
    if (number !== shown || isKept()) return;
    drawn = number;
    fill(panel, h('div', { class: 'head' }, h('h2', {}, `#${number}`), closing), h('p', {}, error.message));
  }
}

/** Whether the memory that is shown is being corrected. */
function isKept() {
  return drawn === shown && isBeingWritten(panel);
}

function live({ row, links }) {
  const claim = row.body.claim;
  const number = row.body.number;
  const facts = [
    ['Category', title(claim.category)],
    ['Domain', claim.domain && title(claim.domain)],
    ['Kind', claim.authority === 'rule' ? 'a rule that must be respected' : 'a note that informs'],
    ['Key', claim.key],
    ['Value', claim.value === undefined ? undefined : JSON.stringify(claim.value)],
    ['Source', source(row)],
    ['Trust', trust(row)],
    ['Confidence', sure(row)],
    ['True since', onDay(claim.valid_from)],
    ['Until', claim.expires_at && onDay(claim.expires_at)],
    ['Recorded', at(row.recorded_at)],
    ['Confirmed', row.marks?.last_confirmed_at && at(row.marks.last_confirmed_at)],
    ['Version', row.body.version],
  ].filter(([, value]) => value !== undefined && value !== null && value !== false);
  const quotes = evidence(claim.evidence, goTo);
  const path = `/api/memory/${number}`;
  return [
    h('p', { class: 'said' }, words(claim.content)),
    claim.body ? h('p', { class: 'said more' }, words(claim.body)) : null,
    h('div', { class: 'buttons' },
      button('Still true', () => write('POST', '/api/command', { command: { command: 'confirm', target: number } })),
      button('Forget', () => end('POST', `${path}/forget`)),
      button('Trash', () => end('DELETE', path))),
    correction(row),
    h('dl', { class: 'facts' }, ...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, words(value))])),
    h('h3', {}, 'Evidence'),
    quotes.length ? quotes : h('p', { class: 'quiet' }, 'Said outright: no quote of a chat.'),
    links.length ? h('h3', {}, 'Links') : null,
    links.map((link) => h('p', {}, `#${link.from} `, words(link.relation), ` #${link.to}`)),
  ].flat();
}

/** What is gone needs no correction. */
async function end(method, path) {
  if (await write(method, path)) panel.querySelector('details.edit')?.removeAttribute('open');
}

/** What a new version loses where it is not said again. */
function more({ body, summary, value }) {
  const said = { detail: body, summary, value };
  return Object.fromEntries(Object.entries(said).filter(([, part]) => part !== undefined && part !== null));
}

/** An edit is a correction: a new version, with the old one in the history. */
function correction(row) {
  const path = `/api/memory/${row.body.number}`;
  const kept = Object.keys(more(row.body.claim));
  const content = h('textarea', { rows: 3, 'aria-label': 'What it should say', value: row.body.claim.content });
  const never = h('input', { type: 'checkbox', id: 'never-right' });
  const details = h('details', { class: 'edit', on: { toggle: () => { if (!details.open) draw(); } } },
    h('summary', {}, 'Correct it (e)'),
    h('form', { on: {
      async submit(event) {
        event.preventDefault();
        // Somebody else may have written since the form was opened.
        const now = await get(path).catch(() => ({ row }));
        const body = { ...more(now.row.body.claim), content: content.value };
        if (never.checked) body.correction = true;
        if (!(await write('PATCH', path, body))) return;
        details.open = false;
        panel.focus();
      },
    } },
    content,
    kept.length ? h('p', { class: 'quiet' }, `Kept as it is: ${kept.join(', ')}.`) : null,
    h('label', {}, never, ' The old value was never right'),
    h('button', { type: 'submit' }, 'Save the correction')));
  return details;
}
