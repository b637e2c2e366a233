// What the keyboard does wherever one is; lists and forms have keys of their own.

import { h, fill } from './dom.js';

const SHOWN = [
  ['1 … 9', 'go to a view'],
  ['/', 'search'],
  ['n', 'a new memory'],
  ['↑ ↓ Home End', 'move in a list'],
  ['Enter', 'open a memory'],
  ['e', 'correct the open memory'],
  ['Delete', 'forget the memory in the list'],
  ['u', 'take the last change back'],
  ['t', 'light or dark'],
  ['Esc', 'close'],
  ['?', 'this'],
];

/** Runs `keys[key]` unless somebody is typing. */
export function listen(keys) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target;
    const isTyping = target.matches?.('input:not([type=range]):not([type=checkbox]), textarea, select');
    if (isTyping && event.key !== 'Escape') return;
    const run = keys[event.key];
    if (!run) return;
    event.preventDefault();
    run(event);
  });
}

/** Shows the keys. */
export function showHelp() {
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Keys' });
  const list = SHOWN.map(([key, does]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, does)]);
  const close = h('button', { type: 'button', on: { click: () => dialog.close() } }, 'Close');
  fill(dialog, h('h2', {}, 'Keys'), h('dl', {}, ...list.flat()), close);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
