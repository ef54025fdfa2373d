// The overview as a browser shows it, opened from file://: nothing fails, it can be read without a script, sorted and
// filtered with it.
// Usage: node --test overview.test.mjs, with SAMPLE_PAGES naming the folder and CHROMIUM the browser.
import assert from 'node:assert/strict';
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
  page.on('dialog', (dialog) => page.complaints.push(dialog.message()));
  page.on(
      'request', (request) => !/^(file|data):/.test(request.url()) && page.complaints.push(`fetched ${request.url()}`));
  await page.goto(pathToFileURL(`${folder}/${name}.html`).href);
  return page;
}

const students = (page) => page.locator('#students tbody tr:visible td:nth-child(2)').allInnerTexts();

for (const name of ['small', 'large', 'hostile', 'empty', 'student', 'similar/01', 'hostile_pair'])
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

test('a click sorts by points, the largest first, and a second one turns it round', async () => {
  const page = await open('small');
  const head = page.locator('#students th', {hasText: /^scan$/});
  await head.locator('button').click();
  assert.deepEqual(await students(page), ['ada', 'grace', 'barbara', 'donald', 'alan', 'edsger', 'john', 'ken']);
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  await head.locator('button').press('Enter');
  assert.deepEqual(
      (await students(page)).slice(0, 3), ['ken', 'john', 'edsger'], 'what is not there is below 0 points');
  await page.locator('#students th button', {hasText: 'student'}).click();
  assert.equal((await students(page))[0], 'ada');
  assert.equal(await head.getAttribute('aria-sort'), null);
});

test('the filter finds names, ids and marks', async () => {
  const page = await open('small');
  const field = page.getByLabel('Filter the students');
  await field.fill('LISKOV');
  assert.deepEqual(await students(page), ['barbara']);
  await field.fill('late');
  assert.deepEqual(await students(page), ['alan']);
  await field.fill('');
  assert.equal((await students(page)).length, 8);
});

test('every heading of a sortable table is a button that the keyboard reaches, and its focus shows', async () => {
  const page = await open('small');
  for (const summary of await page.locator('summary').all()) await summary.press('Enter');
  const heads = page.locator('table.sortable th', {hasText: /./});
  assert.ok(await heads.count() > 10);
  assert.equal(await heads.locator('button').count(), await heads.count());
  const first = page.locator('#look-at th button').first();
  await page.getByLabel('Filter what is to be looked at').focus();
  await page.keyboard.press('Tab');
  assert.ok(await first.evaluate((button) => button === document.activeElement));
  assert.notEqual(await first.evaluate((button) => getComputedStyle(button).outlineStyle), 'none');
  await page.keyboard.press('Space');
  assert.equal(await page.locator('#look-at th').first().getAttribute('aria-sort'), 'ascending');
});

test('rows that are equal stay in their order', async () => {
  const page = await open('small');
  const reasons = () => page.locator('#look-at tbody tr td:nth-child(2)').allInnerTexts();
  const before = await reasons();
  await page.locator('#look-at th button', {hasText: 'lab'}).click();
  assert.deepEqual(await reasons(), before);
});

test('numbers are sorted as numbers', async () => {
  const page = await open('large');
  await page.locator('#students th', {hasText: /^lab0$/}).locator('button').click();
  const points = await page.locator('#students tbody tr td:nth-child(3)').allInnerTexts();
  assert.deepEqual(points.map(Number), points.map(Number).sort((a, b) => b - a));
  assert.equal(points[0], '100');
});

test('a clique is one group whose pairs are folded', async () => {
  const page = await open('small');
  const group = page.locator('.group', {hasText: '3 students'});
  assert.match(await group.innerText(), /scan: 3 students, sharing 88 to 99 %\s+Alan Turing, Barbara Liskov, Edsger/);
  const link = group.locator('a', {hasText: 'side by side'}).first();
  assert.ok(!await link.isVisible());
  await group.locator('summary').press('Enter');
  assert.ok(await link.isVisible());
  assert.equal(await page.locator('.group').count(), 2);
});

test('without a script everything is there, and nothing that does not work', async () => {
  const page = await open('small', {javaScriptEnabled: false});
  assert.equal(await page.locator('button, input').count(), 0);
  assert.equal(await page.locator('#students tbody tr').count(), 8);
  assert.equal(
      await page.locator('#look-at tbody tr').first().innerText().then((text) => text.split('\t')[1]), 'Not graded');
});

test('a mistake is one click away from the case that it broke', async () => {
  const page = await open('small');
  await page.locator('#lab-1 summary').click();
  await page.locator('#lab-1 table a', {hasText: 'block sums not added'}).click();
  assert.match(await page.locator(':target').innerText(), /3 students: block sums not added[^]*Alan Turing/);
});

test('the numbers of runs lead to the other side and back', async () => {
  const page = await open('small');
  await page.locator('.group summary').click();
  await page.locator('a', {hasText: 'side by side'}).first().click();
  await page.locator('#a3').click();
  assert.equal(await page.evaluate(() => document.querySelector(':target').id), 'b3');
  await page.waitForFunction(() => {
    const box = document.querySelector('#b3').getBoundingClientRect();
    return box.top >= 0 && box.bottom <= innerHeight;
  });
  await page.locator('#b3').press('Enter');
  assert.equal(await page.evaluate(() => document.querySelector(':target').id), 'a3');
});

test('a student’s page shows findings at once and its cases on demand, without a script', async () => {
  const page = await open('student', {javaScriptEnabled: false});
  assert.ok(await page.locator('.finding', {hasText: 'racecheck'}).isVisible());
  const row = page.locator('td', {hasText: 'block + 1 (n = 1025)'});
  assert.ok(!await row.isVisible());
  await page.locator('summary', {hasText: 'Cases: 1 of 2 right'}).press('Enter');
  assert.ok(await row.isVisible());
});

test('names and sources of students stay text', async () => {
  for (const name of ['hostile', 'hostile_pair']) {
    const page = await open(name);
    assert.deepEqual(page.complaints, []);
    assert.match(await page.locator('body').innerText(), /<script>alert\('1'\)<\/script>/);
  }
});

test('no page is wider than its window, on a telephone either', async () => {
  for (const name of ['small', 'hostile', 'large', 'similar/01']) {
    const page = await open(name, {viewport: {width: 390, height: 800}});
    const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= window, `${name}: ${wide} of ${window}`);
  }
});
