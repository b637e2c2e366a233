// Chats by how recent they are, found by what was said, with every tool call that was made in them.

import { get } from './api.js';
import { fill, h, words } from './dom.js';
import { notice } from './notice.js';
import { at, count, title } from './words.js';

const RECENCY = { today: 'Today', yesterday: 'Yesterday', previous_seven_days: 'Previous 7 days', older: 'Older' };

let list;
let chat;
let search;
let waits;
let open = null;

const offset = () => -new Date().getTimezoneOffset();

export async function show(root, context) {
  search = h('input', { type: 'search', id: 'search', placeholder: 'Search what was said (/)',
    'aria-label': 'Search chats', on: { input: () => { clearTimeout(waits); waits = setTimeout(load, 150); } } });
  list = h('div', { class: 'chats', role: 'navigation', 'aria-label': 'Chats' });
  chat = h('section', { class: 'chat', 'aria-live': 'polite' });
  fill(root, h('div', { class: 'bar-of-tools' }, search), h('div', { class: 'two' }, list, chat));
  await load();
  if (context.chat) await read(context.chat);
}

export const changed = () => load();

async function load() {
  try {
    const text = search.value.trim();
    fill(list, text ? await found(text) : await recent());
  } catch (error) {
    notice(error.message, { isProblem: true });
  }
}

async function recent() {
  const { sessions } = await get('/api/chats', { limit: 200, offset_minutes: offset() });
  if (sessions.length === 0) return [h('p', { class: 'empty' }, 'No chats yet.')];
  const groups = Object.groupBy(sessions, ({ recency }) => recency);
  return Object.keys(RECENCY).filter((name) => groups[name]).flatMap((name) => [
    h('h2', {}, RECENCY[name]),
    ...groups[name].map((session) => entry(session)),
  ]);
}

async function found(text) {
  const { hits } = await get('/api/chats/search', { text, limit: 50, offset_minutes: offset() });
  if (hits.length === 0) return [h('p', { class: 'empty' }, 'Nothing like that was said.')];
  return hits.map((hit) => entry(hit.session, h('span', { class: 'snippet' }, `${hit.role}: `, marked(hit.snippet))));
}

function entry(session, snippet) {
  return h('button', { type: 'button', class: 'entry', 'aria-current': session.id === open ? 'true' : undefined,
    on: { click: () => read(session.id) } },
  words(session.title ?? 'Untitled'),
  h('span', { class: 'meta' }, `${session.status} · ${at(session.active_at)}`), snippet);
}

/** Highlights are places in bytes. */
function marked({ text, highlights }) {
  const bytes = new TextEncoder().encode(text);
  const part = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
  let place = 0;
  const parts = [];
  for (const { start, end } of highlights) {
    parts.push(part(place, start), h('mark', {}, part(start, end)));
    place = end;
  }
  return h('bdi', { dir: 'auto' }, ...parts, part(place));
}

async function read(id) {
  open = id;
  try {
    const [{ messages }, all, used] = await Promise.all([
      get(`/api/chats/${id}/messages`, { limit: 200 }),
      calls(id),
      get(`/api/chats/${id}/why`),
    ]);
    // Another one was opened meanwhile.
    if (open !== id) return;
    // Of a long chat the end is shown, and what was called there.
    const begin = messages.length < 200 ? 0 : Date.parse(messages[0].utterance.at);
    const traces = all.filter((trace) => Date.parse(trace.started_at) >= begin);
    const entries = [
      ...messages.filter(({ utterance }) => utterance.role !== 'tool')
        .map(({ utterance }) => ({ at: utterance.at, shown: message(utterance) })),
      ...traces.map((trace) => ({ at: trace.started_at, shown: tool(trace) })),
    ].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
    fill(chat, h('p', { class: 'status' },
      `${count(messages.length, 'message', 'messages')}, ${count(traces.length, 'tool call', 'tool calls')}`),
    entries.map(({ shown }) => shown), why(used));
  } catch (error) {
    notice(error.message, { isProblem: true });
  }
}

/** All tool calls of a chat: they are told oldest first. */
async function calls(id) {
  const all = [];
  let cursor;
  do {
    const { traces, next } = await get(`/api/chats/${id}/traces`, { limit: 1000, cursor });
    all.push(...traces);
    cursor = next;
  } while (cursor);
  return all;
}

function message(utterance) {
  return h('div', { class: `message ${utterance.role}` },
    h('span', { class: 'meta' }, `${title(utterance.role)} · ${at(utterance.at)}`), words(utterance.content));
}

function tool(trace) {
  const took = Math.max(0, Date.parse(trace.finished_at) - Date.parse(trace.started_at));
  return h('details', { class: `trace ${trace.outcome}` },
    h('summary', {}, words(trace.tool), h('span', { class: 'meta' }, ` ${trace.outcome} · ${took} ms`)),
    h('h4', {}, 'Called with'), h('pre', {}, JSON.stringify(trace.arguments, null, 2)),
    h('h4', {}, 'Answered'), h('pre', {}, trace.result));
}

function why(used) {
  const memories = used.memories ?? [];
  if (memories.length === 0) return null;
  return h('details', { class: 'used' }, h('summary', {}, `Memories used: ${memories.length}`),
    h('ul', {}, ...memories.map((memory) => h('li', {}, `#${memory.number} `, words(memory.line ?? '(gone)')))));
}
