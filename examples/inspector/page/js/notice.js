// The quiet line after every write, with its Undo.

import { send } from './api.js';
import { button, h, words } from './dom.js';

const MOST = 3;
const SECONDS = 12;

const region = document.getElementById('notices');
const own = new Set();
const running = new Set();
let last = null;

/** Shows a line; `undo` is the token that takes it back. */
export function notice(line, { undo, isUndo, isProblem } = {}) {
  const close = () => shown.remove();
  const shown = h('div', { class: isProblem ? 'notice problem' : 'notice' }, words(line));
  if (undo) {
    last = { undo, isUndo };
    shown.append(button(isUndo ? 'Redo' : 'Undo', async () => {
      close();
      await takeBack({ undo, isUndo });
    }));
  }
  shown.append(button('×', close, { class: 'close', 'aria-label': 'Close' }));
  region.append(shown);
  while (region.childElementCount > MOST) region.firstElementChild.remove();
  setTimeout(close, SECONDS * 1000);
}

/** Runs a write and says what became of it. Answers the outcome, or nothing where it was refused. */
export async function write(method, path, body) {
  const asked = send(method, path, body);
  running.add(asked);
  try {
    const outcome = await asked;
    const undo = outcome.event?.undo;
    if (undo) own.add(undo);
    const isUndo = outcome.event?.kind === 'undone';
    notice(outcome.event?.line ?? outcome.line, { undo, isUndo });
    return outcome;
  } catch (error) {
    notice(error.message, { isProblem: true });
    return null;
  } finally {
    running.delete(asked);
  }
}

/** Takes a write back, or an undo. */
export async function takeBack({ undo, isUndo }) {
  return write('POST', isUndo ? '/api/redo' : '/api/undo', { token: undo });
}

/** Takes the last write back: the key u. */
export async function takeLastBack() {
  if (!last) return notice('There is nothing to take back.');
  const token = last;
  last = null;
  await takeBack(token);
}

/** What somebody else wrote; what was written here was shown already. */
export async function tellChange(change) {
  // The feed may be faster than the answer to what was written here.
  await Promise.allSettled([...running]);
  if (change.undo && own.has(change.undo)) return;
  notice(change.line, { undo: change.undo, isUndo: change.is_undo });
}
