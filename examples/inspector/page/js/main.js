// The page: which view is shown, what the keys do, and following what is written. The first view comes with it, the
// others after its first memories are there.

import { get, hasToken, setToken } from './api.js';
import * as detail from './detail.js';
import { button, fill, h } from './dom.js';
import { listen, showHelp } from './keys.js';
import { follow } from './live.js';
import * as memories from './memories.js';
import { notice, takeLastBack, tellChange } from './notice.js';

const VIEWS = [
  ['memories', 'Memories', () => memories],
  ['proposals', 'Proposals', () => import('./proposals.js')],
  ['past', 'Past', () => import('./past.js')],
  ['chats', 'Chats', () => import('./chats.js')],
  ['prompt', 'Prompt', () => import('./block.js')],
  ['health', 'Health', () => import('./health.js')],
  ['review', 'Review', () => import('./review.js')],
  ['changes', 'Changes', () => import('./changes.js')],
  ['forgotten', 'Forgotten', () => import('./forgotten.js')],
];

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const badge = h('span', { class: 'badge', hidden: true });
const context = { about: null, openMemory: detail.show, openChat };
let current = null;
let opened = 0;

async function open(name) {
  const [id, title, load] = VIEWS.find(([id]) => id === name) ?? VIEWS[0];
  const mine = (opened += 1);
  const { chat } = context;
  context.chat = null;
  current?.leave?.();
  current = null;
  for (const link of nav.children) {
    if (link.dataset.view === id) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${title} · Memory`;
  const root = h('div', { class: `view ${id}` });
  fill(main, root);
  try {
    const view = await load();
    if (mine !== opened) return;
    current = view;
    await view.show(root, { ...context, chat });
  } catch (error) {
    if (mine === opened) fill(root, h('p', { class: 'empty' }, error.message), button('Try again', () => open(id)));
  }
}

function openChat(id) {
  context.chat = id;
  detail.close();
  if (location.hash === '#/chats') open('chats');
  else location.hash = '#/chats';
}

async function countProposals() {
  const { proposals } = await get('/api/proposals');
  badge.hidden = proposals.length === 0;
  badge.textContent = proposals.length;
}

async function changed(change) {
  if (change.line) tellChange(change);
  // A view whose script did not come is opened anew.
  const shown = current ? current.changed?.(change) : open(location.hash.slice(2));
  await Promise.allSettled([shown, detail.changed(change), countProposals()]);
}

function theme(wanted) {
  const isDark = wanted === 'dark';
  document.documentElement.dataset.theme = wanted;
  document.getElementById('theme').textContent = isDark ? 'Light' : 'Dark';
}

function turnTheme() {
  const wanted = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('keepmind-theme', wanted);
  theme(wanted);
}

/** Without a token there is nothing to see: it is in the address that the server showed. */
function signIn(told) {
  const token = h('input', { type: 'password', 'aria-label': 'Token', autocomplete: 'off', required: true });
  fill(main, h('form', { class: 'sign-in', on: {
    submit(event) {
      event.preventDefault();
      setToken(token.value);
      start();
    },
  } }, h('h2', {}, 'Whose memory?'), h('p', {}, told), token, h('button', { type: 'submit' }, 'Open')));
  token.focus();
}

async function start() {
  const asking = 'Open the address that the server showed when it started, or paste the token from it.';
  if (!hasToken()) return signIn(asking);
  try {
    context.about = await get('/api/about');
  } catch (error) {
    if (error.status !== 401) return fill(main, h('p', { class: 'empty' }, error.message), button('Try again', start));
    setToken(null);
    return signIn(`That token is not known. ${asking}`);
  }
  document.getElementById('owner').textContent = context.about.owner;
  fill(nav, VIEWS.map(([id, title], index) => h('a', { href: `#/${id}`, 'data-view': id, title: `${index + 1}` },
    title, id === 'proposals' ? badge : null)));
  window.addEventListener('hashchange', () => open(location.hash.slice(2)));
  let isFirst = true;
  await open(location.hash.slice(2));
  // Whoever opens the others later need not wait for them, nor find that the server has gone.
  Promise.allSettled([countProposals(), ...VIEWS.map(([, , load]) => load())]);
  follow({
    change: changed,
    ready(revision) {
      // Whatever was written while nobody listened.
      if (!isFirst) changed({ line: 'Connected again.', facts: null });
      else if (memories.isOlder(revision)) changed({ facts: null });
      isFirst = false;
    },
    status(isLive, error) {
      const shown = document.getElementById('live');
      shown.textContent = isLive ? 'live' : 'not connected';
      shown.classList.toggle('on', isLive);
      if (error) notice(error.message, { isProblem: true });
    },
  });
}

const keys = {
  '/': () => document.getElementById('search')?.focus(),
  '?': showHelp,
  async n() {
    if (current !== memories) {
      history.pushState(null, '', '#/memories');
      await open('memories');
    }
    document.getElementById('new')?.focus();
  },
  e: detail.edit,
  u: takeLastBack,
  t: turnTheme,
  Escape: () => detail.close() || document.activeElement?.blur?.(),
};
VIEWS.forEach(([id], index) => { keys[index + 1] = () => { location.hash = `#/${id}`; }; });
listen(keys);
document.getElementById('theme').addEventListener('click', turnTheme);
document.getElementById('help').addEventListener('click', showHelp);
detail.linkChats(openChat);
const preferred = matchMedia('(prefers-color-scheme: dark)');
const kept = localStorage.getItem('keepmind-theme');
theme(kept ?? (preferred.matches ? 'dark' : 'light'));
preferred.addEventListener('change', ({ matches }) => {
  if (!localStorage.getItem('keepmind-theme')) theme(matches ? 'dark' : 'light');
});
start();
