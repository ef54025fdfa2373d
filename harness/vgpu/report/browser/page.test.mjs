// The pages as a browser shows them, opened from file://: nothing fails, everything can be reached by keyboard.
// Usage: node --test page.test.mjs, with SAMPLE_PAGES naming the folder and CHROMIUM the browser.
import assert from 'node:assert/strict';
import {statSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const folder = process.env.SAMPLE_PAGES;
let browser;

before(async () => {
  // The sandbox needs rights that a container or root does not give; the pages are our own.
  browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
});
after(() => browser?.close());

// A page in a context of its own, with what it complained of and what it tried to fetch.
async function open(name, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.complaints = [];
  page.on(
      'console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on(
      'request', (request) => !/^(file|data):/.test(request.url()) && page.complaints.push(`fetched ${request.url()}`));
  await page.goto(pathToFileURL(`${folder}/${name}.html`).href);
  return page;
}

const focusedLine = (page) => page.evaluate(() => document.activeElement.dataset.key);

for (const name of ['transpose', 'streams', 'matmul', 'sum', 'several', 'flood', 'hostile', 'gone', 'findings'])
  for (const colorScheme of ['light', 'dark'])
    test(`${name} opens without complaint, ${colorScheme}`, async () => {
      const page = await open(name, {colorScheme});
      assert.ok(await page.locator('h1').isVisible());
      assert.deepEqual(page.complaints, []);
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const [red] = background.match(/[\d.]+/g).map(Number);
      assert.equal(red > 128, colorScheme === 'light', background);
      await page.context().close();
    });

test('what costs most, where and why can be read without touching anything', async () => {
  const page = await open('transpose');
  const text = await page.locator('.headline').innerText();
  assert.match(text, /transpose\.cu, line 6/);
  assert.match(text, /out\[x \* n \+ y\] = in\[y \* n \+ x\];/);
  assert.match(
      text, /32 sectors per request, where 4 would do: neighbouring threads write addresses 4,096 bytes apart/);
  assert.match(text, /Thread 0 writes d_out\[0\], thread 1 d_out\[1024\]/);
  const figures = page.locator('figure.pattern');
  assert.equal(await figures.count(), 2, 'the worst line is open from the start');
  assert.equal(await figures.first().locator('.lane').count(), 32);
  assert.equal(await figures.first().locator('.sector').count(), 32);
  assert.equal(await figures.last().locator('.sector').count(), 4);
});

test('banks are drawn as piles of words', async () => {
  const page = await open('matmul');
  const figure = page.locator('figure.pattern');
  assert.equal(await figure.locator('.bank').count(), 32);
  assert.equal(await figure.locator('.word').count(), 32);
  assert.equal(
      new Set(await figure.locator('.word').evaluateAll((words) => words.map((word) => word.getAttribute('x')))).size,
      1);
});

test('the keyboard goes from line to line, opens patterns and changes the theme', async () => {
  const page = await open('transpose');
  await page.keyboard.press('k');
  assert.equal(await focusedLine(page), '0:5');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focusedLine(page), '0:6');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('figure.pattern').count(), 0);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('figure.pattern').count(), 2);
  await page.keyboard.press('Home');
  assert.equal(await focusedLine(page), '0:3');
  await page.keyboard.press('n');
  assert.equal(await focusedLine(page), '0:6', 'the hottest line of the chosen column');
  const column = () => page.locator('th button[aria-pressed="true"]').innerText();
  const before = await column();
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await column(), before);
  for (let step = 0; step < 2; ++step) await page.keyboard.press('ArrowLeft');
  assert.equal(await column(), 'instructions');
  await page.keyboard.press('n');
  const second = await focusedLine(page);
  await page.keyboard.press('n');
  assert.notEqual(await focusedLine(page), second);
  await page.keyboard.press('p');
  assert.equal(await focusedLine(page), second);
  await page.keyboard.press('t');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.keyboard.press('?');
  assert.match(await page.locator('dialog.keys').innerText(), /another column of the source/);
  await page.keyboard.press('j');
  assert.equal(await focusedLine(page), undefined, 'the page behind keeps still');
  await page.keyboard.press('?');
  assert.equal(await page.locator('dialog.keys').isVisible(), false);
  assert.deepEqual(page.complaints, []);
});

test('what waits is grey', async () => {
  const page = await open('sum');
  const channels = await page.locator('section:not(.run) > .timeline .hatch')
                       .first()
                       .evaluate((line) => getComputedStyle(line).stroke.match(/[\d.]+/g).map(Number));
  assert.ok(Math.max(...channels) < 1.4 * Math.min(...channels), channels);
});

test('everything that can be used has a name and can be reached', async () => {
  const page = await open('several');
  const nameless = await page.evaluate(
      () => [...document.querySelectorAll('button, [role="img"], [tabindex="0"]')]
                .filter((node) => !(node.textContent.trim() || node.getAttribute('aria-label')))
                .map((node) => node.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
  const reached = new Set();
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.className.baseVal ?? document.activeElement.tagName));
  }
  for (const kind of ['BUTTON', 'TR', 'SUMMARY']) assert.ok(reached.has(kind), `${kind} among ${[...reached]}`);
});

test('another kernel, and a finding of another kernel, are one key away', async () => {
  const page = await open('several');
  assert.equal(await page.locator('h1').innerText(), 'multiply');
  await page.locator('.kernels button', {hasText: 'transpose'}).press('Enter');
  assert.equal(await page.locator('h1').innerText(), 'transpose');
  assert.equal(await page.evaluate(() => document.activeElement.innerText.includes('transpose')), true, 'focus stays');
  assert.match(await page.locator('.notes').innerText(), /May be right as it is[^]*allocated and never freed/);
  await page.locator('.findings button.place').first().press('Enter');
  assert.equal(await page.locator('h1').innerText(), 'sum');
  assert.match(await page.locator('tr.current').innerText(), /partial\[threadIdx\.x\] \+=/);
  assert.ok(await page.locator('.note.fault', {hasText: 'nothing orders the two'}).isVisible());
});

test('the timeline tells what a warp did', async () => {
  const page = await open('sum');
  const picture = page.locator('section:not(.run) > .timeline > svg');
  await picture.focus();
  const status = () => page.locator('.status').innerText();
  assert.equal(await status(), 'warp 0, steps 0 to 6: 32 of 32 threads active, from line 8');
  await page.keyboard.press('ArrowRight');
  assert.equal(await status(), 'warp 0, steps 6 to 10: 16 of 32 threads active, from line 9');
  await page.keyboard.press('ArrowDown');
  assert.match(await status(), /^warp 1, steps 6 to 10/);
  for (let step = 0; step < 10; ++step) await page.keyboard.press('ArrowRight');
  assert.equal(await status(), 'warp 1, steps 56 to 60: waits at a barrier, at line 11');
});

test('the run’s timeline shows which streams overlap, and its table adds up', async () => {
  const page = await open('streams');
  const picture = page.locator('.run .timeline > svg');
  assert.match(await page.locator('.facts').innerText(), /14\.8 µs of the run’s 270 µs, bound by/);
  assert.deepEqual(
      await picture.locator('text').evaluateAll((texts) => texts.slice(0, 3).map((text) => text.textContent)),
      ['host', 'stream 1', 'stream 2']);
  await picture.focus();
  const status = () => page.locator('.run .status').innerText();
  assert.equal(await status(), 'host, 0 ns to 50.0 µs: cudaMalloc of 8.39 MB, 50.0 µs');
  for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  assert.equal(await status(), 'stream 1, 85.0 µs to 92.4 µs: kernel transpose, 7.41 µs');
  await page.keyboard.press('ArrowDown');
  assert.equal(await status(), 'stream 2, 85.0 µs to 115 µs: pageable copy to the device of 2.10 MB, 30.0 µs');
  const boxOf = (shade) => page.locator(`.run path.${shade}`).first().boundingBox();
  const [kernel, copy] = [await boxOf('shade4'), await boxOf('in')];
  assert.ok(kernel.x < copy.x + copy.width && copy.x < kernel.x + kernel.width, 'the second copy is beside the kernel');
  const microseconds =
      await page.locator('.shares tr')
          .evaluateAll((rows) => rows.slice(1).map((row) => Number.parseFloat(row.cells[2].textContent)));
  const whole = microseconds.pop();
  assert.equal(whole, 270);
  assert.ok(Math.abs(microseconds.reduce((sum, part) => sum + part, 0) - whole) < 1, microseconds.join(' + '));
  assert.deepEqual(page.complaints, []);
});

test('names and source text from a program stay text', async () => {
  const page = await open('hostile');
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator('img, main script, main b[onclick]').count(), 0);
  assert.match(await page.locator('.source').innerText(), /<\/script><script>window\.broken = true<\/script>/);
  await assert.rejects(
      page.evaluate(() => {
        document.body.innerHTML = '<b>text</b>';
      }),
      /TrustedHTML/, 'the page itself forbids it');
});

test('lines whose source is gone show what they cost all the same', async () => {
  const page = await open('gone');
  assert.match(await page.locator('.file').innerText(), /The file is not where it was/);
  assert.equal(await page.locator('tr.line').count(), 5);
  assert.match(await page.locator('tr.current').innerText(), /6[^]*4\.5×/);
  assert.deepEqual(page.complaints, []);
});

test('nothing is wider than a telephone but what scrolls by itself', async () => {
  for (const name of ['several', 'flood', 'hostile']) {
    const page = await open(name, {viewport: {width: 390, height: 800}});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name);
  }
  const page = await open('streams', {viewport: {width: 390, height: 800}});
  for (const text of await page.locator('.timeline text, .top span, .top button, .shares th').all()) {
    const box = await text.boundingBox();
    if (box === null) continue;  // of an empty cell
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `${await text.textContent()} is not clipped`);
  }
  for (const text of await page.locator('.timeline text').all())
    assert.ok((await text.boundingBox()).height >= 10, `${await text.textContent()} can be read`);
  assert.ok((await page.locator('.brand').boundingBox()).height < 30, 'on one line');
});

test('on paper, controls are gone and the picture stays', async () => {
  const page = await open('transpose', {colorScheme: 'dark'});
  await page.emulateMedia({media: 'print', colorScheme: 'dark'});
  assert.equal(await page.locator('.top button').first().isVisible(), false);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.equal(await page.locator('figure.pattern').first().isVisible(), true);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.ok((await page.pdf()).length > 10000);
});

test('a flood of findings stays small and opens soon', async (context) => {
  assert.ok(statSync(`${folder}/flood.html`).size < 2 << 20);
  const page = await open('flood');
  assert.equal(await page.locator('tr.line').count() >= 398, true);
  const {loadEventEnd} = await page.evaluate(() => performance.getEntriesByType('navigation')[0].toJSON());
  context.diagnostic(`open after ${Math.round(loadEventEnd)} ms`);  // a benchmark: it depends on the machine
});
