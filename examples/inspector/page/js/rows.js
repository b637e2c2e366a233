// One memory in a list: what it says, and how it is known.

import { h, words } from './dom.js';
import { ended, onDay, source, sure, title } from './words.js';

/** The two lines of a row. */
export function row(memory, { note, actions, until } = {}) {
  const claim = memory.body.claim;
  // Of a day in the past: what was confirmed later was not yet.
  const confirmed = memory.marks?.last_confirmed_at;
  const wasConfirmed = confirmed && (!until || Date.parse(confirmed) <= until);
  const told = [
    sure(memory),
    source(memory),
    `since ${onDay(claim.valid_from)}`,
    wasConfirmed && `confirmed ${onDay(confirmed)}`,
    claim.expires_at && `until ${onDay(claim.expires_at)}`,
    note ?? ended(memory),
  ].filter(Boolean);
  return [
    h('span', { class: 'number' }, `#${memory.body.number}`),
    h('div', { class: 'lines' },
      words(claim.content, 'words content'),
      h('div', { class: 'meta' },
        claim.authority === 'rule' ? h('span', { class: 'badge rule' }, 'rule') : null,
        claim.held ? h('span', { class: 'badge' }, 'candidate') : null,
        claim.domain ? h('span', { class: 'badge' }, title(claim.domain)) : null,
        h('span', {}, told.join(' · ')))),
    actions ? h('span', { class: 'actions' }, ...actions) : null,
  ].filter(Boolean);
}

/** The quotes that a memory rests on. */
export function evidence(list, openChat) {
  const quotes = (list ?? []).filter((piece) => piece.kind === 'quote');
  return quotes.map((piece) => h('blockquote', {},
    words(piece.quote),
    openChat ? h('button', { type: 'button', class: 'link', on: { click: () => openChat(piece.session) } },
      `message ${piece.message}`) : null));
}

/** Groups by category in the policy's order, each with a heading that says how many. */
export function grouped(rows, categories, counts = {}) {
  const groups = new Map(categories.map(({ name, title: shown }) => [name, { shown, rows: [] }]));
  for (const memory of rows) {
    const name = memory.body.claim.category;
    if (!groups.has(name)) groups.set(name, { shown: title(name), rows: [] });
    groups.get(name).rows.push(memory);
  }
  const items = [];
  for (const [name, group] of groups) {
    if (group.rows.length === 0) continue;
    items.push({ isHeading: true, title: group.shown, count: Math.max(counts[name] ?? 0, group.rows.length) });
    for (const memory of group.rows) items.push(memory);
  }
  return items;
}

/** A heading or a row, for a list of both. */
export function item(entry, options) {
  if (!entry.isHeading) return row(entry, options);
  return [h('h2', {}, entry.title), h('span', { class: 'badge' }, entry.count.toLocaleString())];
}
