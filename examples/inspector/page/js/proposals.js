// What waits for the user's word: a card each, to accept, put otherwise, or turn down.

import { get } from './api.js';
import { button, fill, h, isBeingWritten, words } from './dom.js';
import { notice, write } from './notice.js';
import { evidence } from './rows.js';
import { onDay, title } from './words.js';

let root;
let context;

export async function show(element, given) {
  root = element;
  context = given;
  await draw();
}

export const changed = () => draw();

async function draw() {
  const { proposals } = await get('/api/proposals');
  if (isBeingWritten(root)) return;
  const cards = proposals.map(card);
  fill(root, h('div', { class: 'cards' }, cards.length ? cards : h('p', { class: 'empty' },
    'Nothing waits for your word. What the assistant is not sure that you said is suggested here.')));
}

async function drawAgain() {
  try {
    await draw();
  } catch (error) {
    notice(error.message, { isProblem: true });
  }
}

function card(row) {
  const proposal = row.body;
  const { operation, claim } = { operation: proposal.operation.operation, claim: claimOf(proposal.operation) };
  const path = `/api/memory/${row.id}/confirm`;
  const target = proposal.operation.target?.number;
  const editing = h('form', { hidden: true, on: {
    async submit(event) {
      event.preventDefault();
      await decide({ confirm: true, content: content.value });
    },
  } });
  const content = h('textarea', { rows: 2, 'aria-label': 'In your words', value: claim?.content ?? '' });
  editing.append(content, h('button', { type: 'submit' }, 'Accept in these words'));
  const edit = () => {
    editing.hidden = !editing.hidden;
    if (editing.hidden) drawAgain();
    else content.focus();
  };
  const decide = async (word) => {
    if (!(await write('POST', path, word))) return;
    // By itself: while another card is being written, nothing is drawn.
    shown.remove();
    await drawAgain();
  };
  const shown = h('article', { class: 'card', 'aria-label': 'A proposal' },
    h('p', { class: 'meta' }, [title(operation), target && `#${target}`, claim && title(claim.category),
      `suggested ${onDay(row.recorded_at)}`, proposal.expires_at && `lapses ${onDay(proposal.expires_at)}`]
      .filter(Boolean).join(' · ')),
    claim ? h('p', { class: 'said' }, words(claim.content)) : null,
    h('p', { class: 'why' }, 'Why: ', words(proposal.reasoning)),
    evidence(proposal.evidence, context.openChat),
    h('div', { class: 'buttons' },
      button('Accept', () => decide({ confirm: true }), { class: 'first' }),
      claim ? button('Edit', edit) : null,
      button('Reject', () => decide({ confirm: false })),
      target ? button(`Show #${target}`, () => context.openMemory(target)) : null),
    claim ? editing : null);
  return shown;
}

function claimOf(operation) {
  return operation.claim ?? operation.rival?.claim ?? null;
}
