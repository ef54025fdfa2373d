// A board's page as a browser shows it: served and changed while it is open, from file://, on a telephone, without a
// script, by keyboard, and as assistive technology has it.
// Usage: node --test board.test.mjs, with SAMPLE_PAGES naming the folder and CHROMIUM the browser.
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {copyFileSync, cpSync, readFileSync, renameSync, rmSync} from 'node:fs';
import {createServer} from 'node:http';
import {createRequire} from 'node:module';
import {after, afterEach, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const folder = process.env.SAMPLE_PAGES;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kinds = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json'
};
const shown = `${folder}/live`;
const server = {
  isDown: false,
  asked: 0,
  refused: 0
};
let browser;
let address;

before(async () => {
  // What any web host does: files, and a mark that says whether they have changed.
  server.http = createServer((request, response) => {
    if (server.isDown) {
      ++server.refused;
      return request.socket.destroy();
    }
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    if (name === 'version.json') ++server.asked;
    const content = readFileSync(`${shown}/${name}`);
    const etag = `"${createHash('sha1').update(content).digest('hex')}"`;
    const isKnown = request.headers['if-none-match'] === etag;
    response.writeHead(isKnown ? 304 : 200, {'content-type': kinds[name.split('.').pop()], etag});
    response.end(isKnown ? undefined : content);
  });
  await new Promise((resolve) => server.http.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.http.address().port}/`;
  // The sandbox needs rights that a container or root does not give; the pages are our own.
  browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
});
// A page that is left open goes on asking.
afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
after(async () => {
  await browser?.close();
  server.http.closeAllConnections();
  server.http.close();
});

// As `lanewise board` replaces its folder: in one step.
function publish(name) {
  cpSync(`${folder}/${name}`, `${shown}.next`, {recursive: true});
  rmSync(`${shown}.last`, {recursive: true, force: true});
  try {
    renameSync(shown, `${shown}.last`);
  } catch {
    // the first one
  }
  renameSync(`${shown}.next`, shown);
}

async function open(name, options = {}, url = address) {
  if (url === address) publish(name);
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.complaints = [];
  page.on(
      'console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('dialog', (dialog) => page.complaints.push(dialog.message()));
  await page.clock.install();  // timers are the test's: no machine is too slow for them
  await page.goto(url);
  return page;
}

const fileUrl = (name) => pathToFileURL(`${folder}/${name}/index.html`).href;
const names = (page) => page.locator('#standings-table tbody .name').allInnerTexts();
const pass = async (page, seconds) => {
  for (let i = 0; i < seconds; ++i) await page.clock.runFor(1000);
};
const status = (page, text) => page.locator('#live', {hasText: text}).waitFor({timeout: 8000});

for (const [name, colorScheme, width] of [['first', 'light', 1280], ['second', 'dark', 360], ['empty', 'light', 360]])
  test(`${name} passes WCAG 2.2 AA, ${colorScheme}, ${width} px`, async () => {
    const page = await open(name, {colorScheme, viewport: {width, height: 800}});
    for (const summary of (await page.locator('summary').all()).slice(0, 2)) await summary.press('Enter');
    await page.evaluate(axe);
    const {violations} = await page.evaluate(
        () => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}));
    assert.deepEqual(violations.map(({id, nodes}) => `${id}: ${nodes.length} × ${nodes[0].html}`), []);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(Number(background.match(/[\d.]+/)[0]) > 128, colorScheme === 'light', background);
    const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= window, `${wide} of ${window} px`);
    const outside = await page.evaluate(
        () => [...document.querySelectorAll('main :not(svg *)')]
                  .filter(
                      (each) => !each.closest('.wide, .said') && each.getBoundingClientRect().right > innerWidth + 1)
                  .map((each) => each.outerHTML.slice(0, 80)));
    assert.deepEqual(outside, [], 'only what can be scrolled is wider than the window');
    assert.deepEqual(page.complaints, []);
  });

test('tables, pictures and histories have names', async () => {
  const page = await open('second');
  const tree = await page.locator('body').ariaSnapshot();
  for (const part
           of ['link "Skip to the standings"', 'status: This page updates itself.', 'navigation "Contents"',
               'table "Standings"', 'table "Entries without a rank"', 'figure "Intervals: standings"',
               'columnheader "rank"', 'button "time ÷ reference"',
               'img "standings: 15 intervals on one axis; the table has the same numbers"', 'rowheader "Racer 1"',
               'cell "up ', 'rowheader "earlier winner: last year"'])
    assert.ok(tree.includes(part), part);
  await page.locator('summary', {hasText: 'Racer 5'}).press('Enter');
  assert.equal(await page.getByRole('table', {name: 'History of Racer 5'}).locator('tbody tr').count(), 3);
});

test('the keyboard reaches everything, and the focus shows', async () => {
  const page = await open('first');
  const wanted = await page.evaluate(
      () => [...document.querySelectorAll('a, button, summary, [tabindex="0"]')]
                .filter((each) => each.checkVisibility())
                .length);
  const met = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(() => {
      const each = document.activeElement;
      const style = getComputedStyle(each);
      const box = each.getBoundingClientRect();
      return each === document.body ? undefined : {
        text: each.textContent.slice(0, 30),
        isSeen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && box.width > 8 && box.height > 8
      };
    });
    if (!now || met.length > wanted) break;
    met.push(now);
  }
  assert.equal(met[0].text, 'Skip to the standings');
  assert.deepEqual(met.filter(({isSeen}) => !isSeen), []);
  assert.equal(met.length, wanted);
  const head = page.locator('#standings-table th', {hasText: 'name'}).first();
  await head.locator('button').focus();
  await page.keyboard.press('Space');
  assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  assert.deepEqual((await names(page)).slice(0, 2), [`<script>alert('1')</script>`, 'earlier winner: last year']);
  await page.keyboard.press('Enter');
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  await page.locator('#standings-table th button', {hasText: 'rank'}).press('Enter');
  assert.deepEqual((await names(page)).slice(-4).sort()[0], 'earlier winner: last year', 'what has no rank is last');
});

test('an open page shows a new board within two seconds, where the reader is', async () => {
  const page = await open('first', {viewport: {width: 1280, height: 600}, reducedMotion: 'reduce'});
  await page.locator('#standings-table th button', {hasText: 'name'}).press('Enter');
  await page.locator('summary', {hasText: 'Racer 5'}).press('Enter');
  await page.locator('summary', {hasText: 'Racer 8'}).focus();
  await page.evaluate(() => document.querySelector('#standings-table').parentElement.scrollTo(7, 0));
  const place = () => page.evaluate(
      () =>
          [document.activeElement.querySelector('.name').textContent,
           Math.round(document.querySelector('#history').getBoundingClientRect().top)]);
  const earlier = await place();
  const order = await names(page);
  publish('second');
  await pass(page, 2);
  await page.locator('tr.moved').first().waitFor();
  assert.deepEqual(await place(), earlier, 'focus and scrolling');
  assert.deepEqual(await names(page), order, 'still sorted by name');
  assert.equal(await page.locator('details[open] .name').first().innerText(), 'Racer 5');
  assert.equal(await page.locator('details[open]').count(), 1);
  assert.equal(await page.locator('details[open] tbody tr').count(), 3, 'one board more');
  assert.match(
      await page.locator('#live').innerText(),
      /^Updated at \d\d:\d\d: Racer 11 is now number 4, Racer 14 is now number 5, .*, \d+ more have a new rank\.$/);
  assert.equal(
      await page.locator('tr.moved th').first().evaluate((cell) => getComputedStyle(cell).animationName), 'none');
  // The same as a page that is opened now.
  const fresh = await open('second');
  const content = (of) =>
      of.evaluate(() => document.querySelector('main').innerText.replace(/^(Updated at|This page).*$/m, ''));
  await fresh.locator('#standings-table th button', {hasText: 'name'}).press('Enter');
  await fresh.locator('summary', {hasText: 'Racer 5'}).press('Enter');
  assert.equal(await content(page), await content(fresh));
  assert.deepEqual(page.complaints, []);
});

test('a host that copies file by file shows no half of a board', async () => {
  const page = await open('first');
  copyFileSync(`${folder}/second/version.json`, `${shown}/version.json`);
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === '/');
  await pass(page, 1);
  await (await answered).finished();
  await page.waitForTimeout(100);
  assert.equal(await page.locator('tr.moved').count(), 0);
  copyFileSync(`${folder}/second/index.html`, `${shown}/index.html`);
  await pass(page, 1);
  await page.locator('tr.moved').first().waitFor();
});

test('a page that nobody sees asks for nothing, and one without an answer less and less often', async () => {
  const page = await open('first');
  await status(page, 'This page updates itself.');
  const hide = (isHidden) => page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', {configurable: true, get: () => value});
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
  await hide(true);
  await page.waitForTimeout(100);
  const asked = server.asked;
  await pass(page, 10);
  assert.equal(server.asked, asked);
  publish('second');
  await hide(false);
  await page.locator('tr.moved').first().waitFor();

  server.isDown = true;
  await pass(page, 60);
  await status(page, /^Connection lost, last update \d\d:\d\d\.$/);
  assert.ok(server.refused < 12, `asked ${server.refused} times in a minute`);
  server.isDown = false;
  await pass(page, 75);
  await status(page, /^Connected again at \d\d:\d\d\.$/);
});

test('files on a disk are a page, too, and one without a script says the same', async () => {
  const page = await open('second', {}, fileUrl('second'));
  assert.equal(await page.locator('#live').innerText(), '', 'nothing to follow');
  await page.locator('#standings-table th button', {hasText: 'name'}).click();
  assert.equal((await names(page))[0], `<script>alert('1')</script>`);
  assert.equal(await page.locator('table.sortable').count(), await page.locator('table.sortable[id]').count());
  assert.deepEqual(page.complaints, []);
  const plain = await open('second', {javaScriptEnabled: false}, fileUrl('second'));
  assert.equal(await plain.locator('button').count(), 0);
  assert.equal(await plain.locator('#standings-table tbody tr').count(), 15 + 4, 'entries and marks');
  assert.deepEqual((await names(plain)).slice(0, 3), ['Racer 2', `Racer 5`, 'Racer 8']);
  await plain.locator('summary', {hasText: 'Racer 5'}).press('Enter');
  assert.equal(await plain.locator('details[open] tbody tr').count(), 3);
  assert.deepEqual(plain.complaints, []);
});
