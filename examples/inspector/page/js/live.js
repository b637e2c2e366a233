// Following what is written, by server-sent events. EventSource sends no token, so the stream is read by hand.

import { ask } from './api.js';

const SHORTEST = 500;
const LONGEST = 15_000;

/** Calls `ready` with the revision whenever it begins to follow anew, and `change` for each change. */
export async function follow({ ready, change, status }) {
  let wait = SHORTEST;
  for (;;) {
    try {
      const answer = await ask('GET', '/api/events');
      wait = SHORTEST;
      status(true);
      await read(answer.body.getReader(), { ready, change });
    } catch (error) {
      if (error.status === 401) return status(false, error);
    }
    status(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(2 * wait, LONGEST);
  }
}

async function read(reader, { ready, change }) {
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const events = rest.split('\n\n');
    rest = events.pop();
    for (const event of events) {
      const field = (name) => event.split('\n').filter((line) => line.startsWith(`${name}: `))
        .map((line) => line.slice(name.length + 2)).join('\n');
      if (field('event') === 'ready') ready(Number(field('data')));
      if (field('event') === 'change') change(JSON.parse(field('data')));
    }
  }
}
