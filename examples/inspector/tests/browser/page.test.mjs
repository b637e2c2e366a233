// The page as a person uses it: looking, saving, taking back, deciding, going back in time, searching.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { api, launch, open, serve, shot, sticksOut, watched } from './harness.mjs';

let server;
let browser;
let page;
let ask;

const row = (words) => page.locator('.list .row', { hasText: words });
const noticed = (words) => page.locator('.notice', { hasText: words });

before(async () => { browser = await launch(); });
after(() => browser.close());
beforeEach(async () => {
  server = await serve('--demo', '--user', 'me', '--user', 'ben');
  ask = api(server, 'me');
  page = await watched(browser);
});
afterEach(async () => {
  server.stop();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('memories are grouped, each with how it is known', async () => {
  await open(page, server);
  const headings = await page.locator('.list .heading h2').allTextContents();
  assert.deepEqual(headings.slice(0, 3), ['Profile', 'Preferences', 'People']);
  assert.match(await row('Lives in Paris').innerText(), /#1[\s\S]*stated · you · since/);
  assert.match(await row('Books a seat').innerText(), /assistant/);
  assert.equal(await page.evaluate(() => location.hash), '');
  await row('Books a seat').click();
  const detail = page.locator('#detail');
  await detail.locator('blockquote').first().waitFor();
  const shown = await detail.innerText();
  for (const part of ['Source', 'assistant', 'Trust', 'Confidence', 'True since', 'Evidence', 'I always book']) {
    assert.ok(shown.includes(part), part);
  }
  await page.locator('.list').evaluate((list) => { list.scrollTop = 0; });
  await shot(page, 'memories');
});

test('what is saved elsewhere appears by itself', async () => {
  await open(page, server);
  const before = Date.now();
  await ask('POST', '/api/memory', { content: 'Plays chess on Fridays', category: 'preference' });
  await row('Plays chess on Fridays').waitFor();
  console.log(`# seen after ${Date.now() - before} ms`);
  await noticed('saved #').waitFor();
});

test('a write is taken back, and so is the taking back', async () => {
  await open(page, server);
  await page.locator('#new').fill('Has a garden');
  await page.locator('form.new button').click();
  await row('Has a garden').waitFor();
  await noticed('Has a garden').getByRole('button', { name: 'Undo' }).click();
  await row('Has a garden').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Redo' }).click();
  await row('Has a garden').waitFor();
});

test('proposals are accepted, put otherwise and turned down', async () => {
  await ask('POST', '/api/memory/propose', { content: 'Rides a bicycle', reasoning: 'Asked for bike paths' });
  await open(page, server, 'me', 'proposals');
  const card = (words) => page.locator('.card', { hasText: words });
  await card('Rides a bicycle').waitFor();
  assert.equal(await page.locator('nav .badge').innerText(), '3');
  await card('first train').getByRole('button', { name: 'Accept', exact: true }).click();
  await card('first train').waitFor({ state: 'detached' });
  await card('Northwind').getByRole('button', { name: 'Reject' }).click();
  await card('Northwind').waitFor({ state: 'detached' });
  await card('Rides a bicycle').getByRole('button', { name: 'Edit' }).click();
  await card('Asked for bike paths').locator('textarea').fill('Rides a cargo bicycle');
  await page.getByRole('button', { name: 'Accept in these words' }).click();
  await page.locator('.empty').waitFor();
  const known = await ask('GET', '/api/memory?limit=100');
  const said = known.rows.map((memory) => memory.body.claim.content);
  assert.ok(said.includes('Takes the first train on Mondays') && said.includes('Rides a cargo bicycle'));
  assert.ok(!said.some((words) => words.includes('Northwind')));
});

test('the slider goes back to what was known then', async () => {
  await open(page, server, 'me', 'past');
  await row('Lives in Paris').waitFor();
  const slider = page.locator('#day');
  const box = await slider.boundingBox();
  const at = (share) => box.x + 8 + share * (box.width - 16);
  await page.mouse.move(at(1), box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(at(0.7), box.y + box.height / 2, { steps: 5 });
  await page.mouse.move(at(0.4), box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await row('Lives in Lyon').waitFor();
  assert.equal(await row('Lives in Paris').count(), 0);
  assert.match(await row('Lives in Lyon').innerText(), /superseded/);
  await slider.press('Home');
  await row('Prefers trains').waitFor({ state: 'detached' });
  await slider.press('End');
  await row('Lives in Paris').waitFor();
});

test('search finds by any form of the words', async () => {
  await open(page, server);
  await page.locator('#search').fill('train');
  await row('Lives in Paris').waitFor({ state: 'detached' });
  await row('night trains').waitFor();
  await page.locator('#search').fill('zebra');
  await page.getByText('Nothing fits.').waitFor();
  await page.locator('#search').fill('');
  await row('Lives in Paris').waitFor();
});

test('a correction is a new version, and the timeline shows both', async () => {
  await open(page, server);
  await row('Takes coffee').click();
  const detail = page.locator('#detail');
  await detail.locator('summary').click();
  await detail.locator('textarea').fill('Takes tea without sugar');
  await detail.getByRole('button', { name: 'Save the correction' }).click();
  await row('Takes tea without sugar').waitFor();
  await detail.locator('.versions li', { hasText: 'Takes tea' }).waitFor();
  assert.equal(await detail.locator('.versions li').count(), 2);
  assert.equal(await detail.locator('.timeline rect').count(), 2);
  await shot(page, 'timeline');
});

test('a correction keeps the detail, the summary and the value', async () => {
  const said = { category: 'preference', detail: 'Over the wing, on the left', summary: 'Window seats', value: 'window' };
  const { number } = await ask('POST', '/api/memory', { ...said, content: 'Prefers window seets' });
  await open(page, server);
  await row('window seets').click();
  const detail = page.locator('#detail');
  await detail.locator('summary').click();
  await detail.getByText('Kept as it is: detail, summary, value.').waitFor();
  await detail.locator('textarea').fill('Prefers window seats');
  await detail.getByRole('button', { name: 'Save the correction' }).click();
  await row('Prefers window seats').waitFor();
  const { claim } = (await ask('GET', `/api/memory/${number}`)).row.body;
  assert.deepEqual([claim.body, claim.summary, claim.value], [said.detail, said.summary, said.value]);
});

test('memories of a category that the policy does not have are shown too', async () => {
  await page.route('**/api/about', async (route) => {
    const answer = await route.fetch();
    const about = await answer.json();
    about.categories = about.categories.filter(({ name }) => name !== 'profile');
    await route.fulfill({ response: answer, json: about });
  });
  await open(page, server);
  // They come last, and only what is in sight is there.
  await page.waitForFunction(() => {
    const list = document.querySelector('.list');
    list.scrollTop = list.scrollHeight;
    return list.textContent.includes('Lives in Paris');
  });
});

test('what is written before the page listens is shown', async () => {
  let listens;
  const isHeld = new Promise((held) => {
    page.route('**/api/events', async (route) => {
      await new Promise((go) => { listens = go; held(); });
      await route.continue();
    });
  });
  await page.goto(`${server.url}/#token=${server.tokens.me}`);
  await isHeld;
  await row('Lives in Paris').waitFor({ state: 'attached' });
  await ask('POST', '/api/memory', { content: 'Keeps bees', category: 'profile' });
  listens();
  await row('Keeps bees').waitFor({ state: 'attached' });
});

test('the Delete key forgets the memory that has the focus, wherever its row has moved', async () => {
  await ask('POST', '/api/memory', { content: 'Keeps bees', category: 'preference' });
  await ask('POST', '/api/memory', { content: 'Keeps geese', category: 'preference' });
  const known = async () => {
    const { rows } = await ask('GET', '/api/memory?limit=100');
    return rows.map((memory) => memory.body.claim.content).sort();
  };
  const before = await known();
  await open(page, server);
  await row('Keeps bees').focus();
  await ask('POST', '/api/memory', { content: 'Has a garden', category: 'profile' });
  await row('Has a garden').waitFor({ state: 'attached' });
  const isOn = (words) => page.waitForFunction(
    (wanted) => document.activeElement.matches('.row') && document.activeElement.textContent.includes(wanted), words);
  await isOn('Keeps bees');
  // Held down, it is pressed again and again.
  await page.keyboard.down('Delete');
  await page.keyboard.down('Delete');
  await row('Keeps bees').waitFor({ state: 'detached' });
  await page.keyboard.down('Delete');
  await page.keyboard.up('Delete');
  await page.keyboard.press('Delete');
  assert.deepEqual(await known(), before.filter((words) => words !== 'Keeps bees').concat('Has a garden').sort());
  await page.keyboard.press('ArrowDown');
  await isOn('Keeps geese');
});

test('what others write does not wipe what is being written', async () => {
  const { number } = await ask('POST', '/api/memory', { content: 'Keeps bees', category: 'preference' });
  await ask('POST', '/api/memory/propose', { content: 'Rides a bicycle', reasoning: 'Asked for bike paths' });
  const settled = async (write) => {
    // The change was told, and with it whatever is drawn because of it.
    await Promise.all([page.waitForResponse((answer) => answer.url().endsWith('/api/proposals')), write()]);
    await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
  };
  const other = (content) => settled(() => ask('POST', '/api/memory', { content, category: 'fact' }));

  await open(page, server);
  await row('Keeps bees').click();
  const words = page.locator('#detail textarea');
  await page.locator('#detail summary').click();
  await words.fill('Keeps a few be');
  await settled(() => ask('PATCH', `/api/memory/${number}`, { content: 'Keeps many bees' }));
  await row('Keeps many bees').waitFor();
  assert.equal(await words.inputValue(), 'Keeps a few be');
  await page.locator('#detail summary').click();
  await page.locator('#detail .said', { hasText: 'Keeps many bees' }).waitFor();
  await page.keyboard.press('Escape');

  await page.locator('nav a[data-view=proposals]').click();
  const card = (said) => page.locator('.card', { hasText: said });
  await card('bike paths').getByRole('button', { name: 'Edit' }).click();
  await card('bike paths').locator('textarea').fill('Rides a cargo bi');
  await other('Has a garden');
  assert.equal(await card('bike paths').locator('textarea').inputValue(), 'Rides a cargo bi');
  await card('first train').getByRole('button', { name: 'Reject' }).click();
  await card('first train').waitFor({ state: 'detached' });
  assert.equal(await card('bike paths').locator('textarea').inputValue(), 'Rides a cargo bi');
  await ask('POST', '/api/memory/propose', { content: 'Likes jazz', reasoning: 'Hummed a tune' });
  await page.locator('nav .badge', { hasText: '3' }).waitFor();
  await page.getByRole('button', { name: 'Accept in these words' }).click();
  await card('Hummed a tune').waitFor();
  await card('bike paths').waitFor({ state: 'detached' });

  await page.locator('nav a[data-view=review]').click();
  const field = page.locator('.fill-in:not([hidden]) input');
  const filled = page.locator('.buttons > span', { has: page.locator('.fill-in') }).first();
  await filled.locator('> button').click();
  await field.fill('Something el');
  await other('Sings in a choir');
  assert.equal(await field.inputValue(), 'Something el');
  await filled.locator('> button').click();
  await card('Sings in a choir').first().waitFor();
});

test('what is forgotten or thrown away comes back', async () => {
  await open(page, server);
  await row('Wants short answers').click();
  await page.locator('#detail').getByRole('button', { name: 'Forget' }).click();
  await row('Wants short answers').waitFor({ state: 'detached' });
  await page.locator('.list').evaluate((list) => { list.scrollTop = list.scrollHeight; });
  await row('Has to renew').click();
  await page.locator('#detail').getByRole('button', { name: 'Trash' }).click();
  await row('Has to renew').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.locator('nav a[data-view=forgotten]').click();
  for (const words of ['Wants short answers', 'Has to renew', 'blue van', 'library card']) {
    await page.locator('li.row', { hasText: words }).waitFor();
  }
  await page.locator('li.row', { hasText: 'Wants short' }).getByRole('button', { name: 'Restore' }).click();
  await page.locator('li.row', { hasText: 'Wants short' }).waitFor({ state: 'detached' });
  const gone = page.locator('li.row', { hasText: 'blue van' });
  await gone.getByRole('button', { name: 'Delete for good' }).click();
  await gone.getByRole('button', { name: 'Really' }).click();
  await gone.waitFor({ state: 'detached' });
  const kept = await ask('GET', '/api/export');
  assert.ok(!kept.includes('blue van') && kept.includes('Wants short answers'));
});

test('chats are found by what was said, with their tool calls', async () => {
  await open(page, server, 'me', 'chats');
  await page.locator('.chats h2').first().waitFor();
  assert.deepEqual(await page.locator('.chats h2').allTextContents(), ['Yesterday', 'Older']);
  await page.locator('#search').fill('newsletter');
  await page.locator('.chats mark').first().waitFor();
  assert.equal((await page.locator('.chats mark').first().innerText()).toLowerCase(), 'newsletter');
  await page.locator('.entry').first().click();
  await page.locator('.trace summary').click();
  const trace = await page.locator('.trace').innerText();
  assert.match(trace, /propose_memory[\s\S]*complete · \d+ ms[\s\S]*Buys oak from Northwind/);
  await shot(page, 'chats');
});

test('a chat that is opened from a memory is shown, whatever view is still loading', async () => {
  await open(page, server);
  await row('Books a seat').click();
  const link = page.locator('#detail blockquote button').first();
  await link.waitFor();
  // Both are held back until they are let go.
  const held = async (path) => {
    let hold;
    const asked = new Promise((resolve) => { hold = resolve; });
    await page.route(path, hold);
    return asked;
  };
  const stats = held('**/api/stats');
  const chats = held('**/api/chats?*');
  await page.locator('nav a[data-view=health]').click();
  const left = await stats;
  await link.click();
  const wanted = await chats;
  // The view that was left comes to its end while the chats are being read.
  const ended = page.waitForResponse('**/api/stats');
  await left.continue();
  await ended;
  await wanted.continue();
  await page.locator('.chat', { hasText: 'I always book' }).waitFor();
});

test('a view whose script did not come is there once the server is again', async () => {
  await page.route('**/js/health.js', (route) => route.abort());
  await open(page, server, 'me', 'health');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute('**/js/health.js');
  await ask('POST', '/api/memory', { content: 'Sings in a choir', category: 'profile' });
  await page.locator('.chart svg').first().waitFor();
});

test('the prompt is shown byte for byte, with its budget', async () => {
  await open(page, server, 'me', 'prompt');
  const block = await ask('GET', '/api/block');
  assert.equal(await page.locator('pre.exact').first().evaluate((node) => node.textContent), block.text);
  assert.match(await page.locator('.chart text').first().innerHTML(), /of 1,500 tokens/);
  await ask('POST', '/api/memory', { content: 'Sings in a choir', category: 'profile' });
  await page.locator('pre', { hasText: 'Sings in a choir' }).waitFor();
});

test('health, review and changes say what can be done, and it is done', async () => {
  await ask('POST', '/api/memory', { content: 'Eats no shellfish at all', category: 'preference' });
  await open(page, server, 'me', 'health');
  await page.locator('.chart svg').nth(6).waitFor();
  assert.ok((await page.locator('.chart .bar').count()) > 8);
  await shot(page, 'health');
  await page.locator('nav a[data-view=review]').click();
  const card = page.locator('.card', { hasText: 'Eats no shellfish at all' }).first();
  await card.getByRole('button', { name: 'Forget' }).click();
  await noticed('shellfish').waitFor();
  await page.getByRole('button', { name: 'I have looked through it' }).click();
  await page.getByText('last reviewed').waitFor();
  await page.locator('nav a[data-view=changes]').click();
  const forgot = page.locator('li', { hasText: 'forgot #' }).first();
  await forgot.getByRole('button', { name: 'Undo' }).click();
  await page.locator('li', { hasText: 'undid forgot' }).first().waitFor();
});

test('everything can be taken along', async () => {
  await open(page, server, 'me', 'forgotten');
  for (const [name, part] of [['JSON Lines', 'Lives in Lyon'], ['Markdown', 'Lives in Paris']]) {
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    assert.ok(readFileSync(await (await coming).path(), 'utf8').includes(part), name);
  }
});

test('without its token a page shows nobody', async () => {
  await page.goto(server.url);
  await page.getByText('Whose memory?').waitFor();
  await page.locator('input[type=password]').fill('a token that is wrong');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByText('That token is not known').waitFor();
  await page.locator('input[type=password]').fill(server.tokens.me);
  await page.getByRole('button', { name: 'Open' }).click();
  await row('Lives in Paris').waitFor();
});

test('an address that is pasted over the page opens that memory and keeps no token', async () => {
  await api(server, 'ben')('POST', '/api/memory', { content: 'Keeps bees' });
  await open(page, server);
  await row('Lives in Paris').waitFor();
  await page.evaluate((token) => { location.hash = `#token=${token}`; }, server.tokens.ben);
  await row('Keeps bees').waitFor();
  assert.equal(await page.locator('#owner').innerText(), 'ben');
  assert.equal(await page.evaluate(() => location.hash), '');
  assert.equal(await row('Lives in Paris').count(), 0);
});

test('one owner never sees the other', async () => {
  const ben = api(server, 'ben');
  await ben('POST', '/api/memory', { content: 'CANARY-BEN keeps bees' });
  await ask('POST', '/api/memory', { content: 'CANARY-ME keeps geese' });
  for (const [owner, others] of [['me', 'CANARY-BEN'], ['ben', 'CANARY-ME']]) {
    const own = await watched(browser);
    await open(own, server, owner);
    for (const view of ['memories', 'proposals', 'past', 'chats', 'prompt', 'health', 'review', 'changes', 'forgotten']) {
      await own.locator(`nav a[data-view=${view}]`).click();
      await own.waitForLoadState('networkidle', { timeout: 500 }).catch(() => {});
      assert.ok(!(await own.locator('body').innerText()).includes(others), `${owner} ${view}`);
    }
    assert.deepEqual(own.faults, []);
    await own.context().close();
  }
});

test('it fits a phone', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, server);
  await row('Lives in Paris').waitFor();
  await shot(page, 'phone');
  for (const view of ['memories', 'proposals', 'past', 'chats', 'prompt', 'health', 'review', 'changes', 'forgotten']) {
    await page.locator(`nav a[data-view=${view}]`).click();
    await page.waitForTimeout(150);
    assert.deepEqual(await sticksOut(page), [], view);
  }
  await page.locator('nav a[data-view=memories]').click();
  await row('Lives in Paris').click();
  await page.locator('#detail .versions').waitFor();
  assert.deepEqual(await sticksOut(page), []);
  assert.equal((await page.locator('#detail').boundingBox()).width, 360);
});

test('it is dark where the system is, and where it is told', async () => {
  const light = () => page.evaluate(() => {
    const of = (colour) => colour.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
    const { backgroundColor, color } = getComputedStyle(document.body);
    return of(backgroundColor) > of(color);
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page, server, 'me', 'past');
  await row('Lives in Paris').waitFor();
  assert.equal(await light(), false);
  await page.locator('#day').evaluate((node) => { node.value = 40; node.dispatchEvent(new Event('input')); });
  await row('Lives in Lyon').waitFor();
  await shot(page, 'past-dark');
  await page.keyboard.press('t');
  assert.equal(await light(), true);
  await page.reload();
  await page.locator('#live.on').waitFor();
  assert.equal(await light(), true);
});

test('all of it works without a mouse', async () => {
  const { keyboard } = page;
  const isIn = (selector) => page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector);
  await open(page, server);
  await row('Lives in Paris').waitFor();
  await keyboard.press('n');
  await isIn('#new');
  await keyboard.type('Walks to work');
  await keyboard.press('Enter');
  await row('Walks to work').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('u');
  await row('Walks to work').waitFor({ state: 'detached' });
  await keyboard.press('/');
  await isIn('#search');
  await keyboard.type('coffee');
  await page.getByText('1 memory', { exact: true }).waitFor();
  for (let steps = 0; steps < 8 && !(await page.evaluate(() => document.activeElement.matches('.row'))); steps += 1) {
    await keyboard.press('Tab');
  }
  await isIn('.row');
  await keyboard.press('Enter');
  await page.locator('#detail .versions').waitFor();
  await keyboard.press('e');
  await isIn('textarea');
  await keyboard.press('Control+A');
  await keyboard.type('Takes coffee with milk');
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await row('Takes coffee with milk').waitFor();
  await keyboard.press('Escape');
  await isIn('.row');
  await keyboard.press('Delete');
  await page.getByText('Nothing fits.').waitFor();
  await keyboard.press('2');
  await page.locator('.card').first().waitFor();
  const cards = await page.locator('.card').count();
  for (let steps = 0; steps < 30; steps += 1) {
    await keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement.textContent === 'Accept')) break;
  }
  await keyboard.press('Enter');
  await page.waitForFunction((was) => document.querySelectorAll('.card').length === was - 1, cards);
  await keyboard.press('?');
  await page.locator('dialog.help').waitFor();
  await keyboard.press('Escape');
  await keyboard.press('3');
  await isIn('body, main');
  await page.locator('#day').waitFor();
});
