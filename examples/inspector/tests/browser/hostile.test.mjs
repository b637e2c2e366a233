// Memories that are meant to be more than text: shown as text, and nothing else happens.
//
// ATTACKS names a file of JSON Lines with attacks on memories; without it, those below stand alone.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { api, launch, open, serve, shot, sticksOut, watched } from './harness.mjs';

const VIEWS = ['memories', 'proposals', 'past', 'chats', 'prompt', 'health', 'review', 'changes', 'forgotten'];

const WRITTEN = [
  '<script>tellFault("ran")</script>',
  '<img src=x onerror=tellFault("ran")>',
  '<svg onload=tellFault("ran")><script>tellFault("ran")</script></svg>',
  '<svg><a xlink:href="javascript:tellFault(1)"><text>x</text></a></svg>',
  '<iframe srcdoc="<script>parent.tellFault(1)</script>"></iframe>',
  '<style>body{display:none}</style>',
  '<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example">',
  '"><button onclick=tellFault(1) autofocus onfocus=tellFault(1)>x</button>',
  '</textarea></pre></bdi><h1 class=escaped>out</h1>',
  '<!-- <b>unfinished',
  '{{constructor.constructor("tellFault(1)")()}} ${tellFault(1)} #{7*7}',
  '[click](javascript:tellFault(1)) ![x](https://evil.example/x.png) <https://evil.example>',
  'javascript:tellFault(1)//',
  "'; tellFault(1); //",
  'data:text/html,<script>tellFault(1)</script>',
  'مرحبا بالعالم هذا نص من اليمين <b>x</b> שלום עולם',
  'Zalgo t̸̢̛̺͓̼̭̺̙̿̌͐͑́̿͝ȩ̷͎̫̯̿͊͛͘x̵̢͓̱͂̎̅t',
  '👨‍👩‍👧‍👦'.repeat(40),
  '﷽'.repeat(60),
  'W'.repeat(500),
  `${'x'.repeat(250)}/${'y'.repeat(249)}`,
  '\u202eevil\u202c reversed', 'a\u2066b\u2069c', 'line\nbreak\ttab', 'null\u0000byte', '\u200b\u200d\ufeff',
];

/** Every string of the attacks that are about instructions or about what is rendered. */
function attacks() {
  const file = process.env.ATTACKS;
  if (!file || !existsSync(file)) return [];
  const found = new Set();
  const strings = (value, expand) => {
    if (typeof value === 'string') {
      let text = value;
      for (const [mark, { repeat, count }] of Object.entries(expand)) text = text.replaceAll(mark, repeat.repeat(count));
      found.add(text);
    } else if (value && typeof value === 'object') {
      Object.values(value).forEach((part) => strings(part, expand));
    }
  };
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const attack = JSON.parse(line);
    if (attack.class !== 'instruction' && attack.surface !== 'render') continue;
    strings([attack.given, attack.transcript, attack.malicious_model_output], attack.expand ?? {});
  }
  return [...found];
}

let server;
let browser;
before(async () => { browser = await launch(); server = await serve('--demo', '--user', 'me', '--policy', 'default'); });
after(async () => { server.stop(); await browser.close(); });

test('hostile memories are text in every view, wide and narrow', async () => {
  const ask = api(server, 'me');
  const given = [...WRITTEN, ...attacks()];
  const page = await watched(browser);
  await open(page, server);
  const scripts = await page.locator('script').count();
  const kept = [];
  let refused = 0;
  for (const content of given) {
    try {
      const { number } = await ask('POST', '/api/memory', { content, detail: content.slice(0, 1000) });
      kept.push([number, content]);
      await ask('POST', '/api/memory/propose', { content: `${content} ?`, reasoning: content });
    } catch (error) {
      assert.ok(error.status >= 400 && error.status < 500, `${error.status}: ${content}`);
      refused += 1;
    }
  }
  assert.ok(kept.length > given.length / 2);
  await ask('POST', `/api/memory/${kept[0][0]}/forget`);
  await ask('PATCH', `/api/memory/${kept[1][0]}`, { content: `${kept[1][1]} again` });
  await ask('DELETE', `/api/memory/${kept[2][0]}`);

  for (const [width, scheme] of [[1100, 'light'], [360, 'dark']]) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme: scheme });
    for (const view of VIEWS) {
      await page.locator(`nav a[data-view=${view}]`).click();
      await page.waitForTimeout(250);
      const list = page.locator('.list');
      const screens = await list.count() ? await list.evaluate((node) => Math.ceil(node.scrollHeight / node.clientHeight)) : 1;
      for (let screen = 0; screen < screens; screen += 1) {
        if (await list.count()) await list.evaluate((node, at) => { node.scrollTop = at * node.clientHeight; }, screen);
        await page.waitForTimeout(30);
        assert.deepEqual(await sticksOut(page), [], `${view} at ${width}`);
        const made = await page.evaluate(() => [...document.querySelectorAll('.words, pre')]
          .filter((node) => node.childElementCount > 0).map((node) => node.textContent));
        assert.deepEqual(made, [], view);
      }
    }
  }
  await page.setViewportSize({ width: 1100, height: 700 });
  await page.locator('nav a[data-view=memories]').click();
  for (const [number, content] of kept.slice(3, 60)) {
    await page.evaluate((wanted) => import('/js/detail.js').then((detail) => detail.show(wanted)), number);
    const said = page.locator('#detail .said').first();
    await said.waitFor();
    assert.deepEqual(await sticksOut(page), [], content);
    const known = (await ask('GET', `/api/memory/${number}`)).row.body.claim.content;
    assert.equal(await said.evaluate((node) => node.textContent), known);
  }
  await shot(page, 'hostile');
  assert.equal(await page.locator('script').count(), scripts);
  assert.equal(await page.locator('iframe, object, embed, base, .escaped, main img, main style').count(), 0);
  assert.deepEqual(page.faults, []);
  console.log(`# ${kept.length} of ${given.length} kept and shown, ${refused} refused; 0 scripts, 0 breaks, 0 reports`);
});

test('another site gets nothing, whatever name it has', async () => {
  const headers = { Authorization: `Bearer ${server.tokens.me}` };
  const page = await watched(browser);
  await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/openapi.json`);
  const crossed = await page.evaluate(async ([url, given]) => {
    const tries = [fetch(`${url}/api/memory`, { headers: given }), fetch(`${url}/api/memory`, { mode: 'no-cors', method: 'POST', body: '{}' })];
    return (await Promise.allSettled(tries)).map(({ status, value }) => (status === 'fulfilled' ? value.type : status));
  }, [server.url, headers]);
  assert.ok(crossed.every((outcome) => outcome === 'rejected' || outcome === 'opaque'), crossed.join());
  await page.context().close();
  const known = await api(server, 'me')('GET', '/api/memory?limit=1');
  assert.equal(known.rows.length, 1);
});
