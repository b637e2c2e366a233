// Asking the server. The token comes in the address, after the #, which is never sent; it stays in this tab.

const KEY = 'keepmind-token';

/** Whether there was one in the address; it does not stay there. */
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!given) return false;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, '', location.pathname);
  return true;
}

takeToken();
// An address that is pasted over this one loads nothing by itself.
window.addEventListener('hashchange', (event) => {
  if (!takeToken()) return;
  event.stopImmediatePropagation();
  location.reload();
});

export function hasToken() {
  return Boolean(sessionStorage.getItem(KEY));
}

export function setToken(token) {
  if (token) sessionStorage.setItem(KEY, token.trim());
  else sessionStorage.removeItem(KEY);
}

/** What went wrong, in the server's words. */
export class Problem extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.kind = error?.kind;
    this.code = error?.code;
  }
}

/** The bare answer. */
export async function ask(method, path, body, signal) {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const answer = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    cache: 'no-store',
    credentials: 'omit',
  });
  if (!answer.ok) {
    const told = await answer.json().catch(() => null);
    throw new Problem(answer.status, told?.error);
  }
  return answer;
}

/** Reads. `query` holds what stands after the ?. */
export async function get(path, query = {}, signal = undefined) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const asked = new URLSearchParams(given).toString();
  return (await ask('GET', asked ? `${path}?${asked}` : path, undefined, signal)).json();
}

/** Writes. */
export async function send(method, path, body) {
  return (await ask(method, path, body)).json();
}

/** Every page of a list, each handed over as it comes. */
export async function pages(path, query, take, signal) {
  let cursor;
  let limit = query.limit ?? 100;
  do {
    const page = await get(path, { ...query, limit, cursor }, signal);
    take(page.rows, page);
    cursor = page.next;
    limit = 1000;
  } while (cursor);
}

/** Keeps an answer as a file. */
export async function download(path, name) {
  const blob = await (await ask('GET', path)).blob();
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
