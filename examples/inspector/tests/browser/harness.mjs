// A server with a page on it, as a person has them: the real program and the real browser.
//
// KEEPMIND_INSPECTOR is the program, CHROMIUM the browser, SHOTS where screenshots go.

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const program = process.env.KEEPMIND_INSPECTOR ?? 'target/debug/keepmind-example-inspector';
const shots = process.env.SHOTS ?? fileURLToPath(new URL('shots', import.meta.url));
mkdirSync(shots, { recursive: true });

/** Starts it and answers where it is and each owner's token. */
export async function serve(...given) {
  const child = spawn(program, [...given, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const owners = given.filter((_, index) => given[index - 1] === '--user');
  const tokens = {};
  let url;
  for await (const line of createInterface({ input: child.stdout })) {
    const [, owner, address, token] = line.match(/^(.*): (http:\/\/[^/]+)\/#token=(.+)$/);
    url = address;
    tokens[owner] = token;
    if (Object.keys(tokens).length === Math.max(1, owners.length)) break;
  }
  return { url, tokens, pid: child.pid, stop: () => child.kill() };
}

/** Asks the API as one owner. */
export function api(server, owner) {
  return async (method, path, body) => {
    const headers = { Authorization: `Bearer ${server.tokens[owner]}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const answer = await fetch(server.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw Object.assign(new Error(text), { status: answer.status });
    return answer.headers.get('content-type').startsWith('application/json') ? JSON.parse(text) : text;
  };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
}

/** A page, watched: whatever it should not do is in `page.faults`. */
export async function watched(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 700 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.faults = [];
  const fault = (kind) => (what) => page.faults.push(`${kind}: ${what.message?.() ?? what.message ?? what}`);
  page.on('dialog', async (dialog) => {
    fault('dialog')(dialog);
    await dialog.dismiss();
  });
  page.on('pageerror', fault('error'));
  page.on('popup', () => page.faults.push('popup'));
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== '127.0.0.1' && protocol !== 'blob:') page.faults.push(`request: ${request.url()}`);
  });
  await page.exposeFunction('tellFault', (what) => page.faults.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.tellFault(`policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return page;
}

/** Opens it as an owner, and waits until it follows. */
export async function open(page, server, owner = 'me', view = '') {
  await page.goto(`${server.url}/#token=${server.tokens[owner]}`);
  await page.locator('#live.on').waitFor();
  if (view) await page.locator(`nav a[data-view=${view}]`).click();
}

export const shot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`) });

/** What stands out of the window: in sight, and cut off by nothing around it. */
export async function sticksOut(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const isOut = (node) => {
      const box = node.getBoundingClientRect();
      return box.width > 0 && (box.right > width + 1 || box.left < -1);
    };
    const isCut = (node) => {
      for (let around = node.parentElement; around && around !== document.body; around = around.parentElement) {
        const { overflowX } = getComputedStyle(around);
        if (overflowX !== 'visible' && !isOut(around)) return true;
      }
      return false;
    };
    const found = [...document.querySelectorAll('body *:not(.skip)')].filter((node) => isOut(node) && !isCut(node));
    if (document.documentElement.scrollWidth > width) found.push(document.documentElement);
    for (const part of document.querySelectorAll('main, aside:not([hidden])')) {
      if (part.scrollWidth > part.clientWidth + 1) found.push(part);
    }
    return found.map((node) => `${node.tagName}.${node.className}`);
  });
}
