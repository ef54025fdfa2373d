// The page of a verdict as a browser shows it, opened from file://: nothing fails, nothing is squeezed, and the keys
// are those of the page of a run. Usage: node --test report.test.mjs, with SAMPLE_PAGES naming the folder and CHROMIUM
// the browser.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const folder = process.env.SAMPLE_PAGES;
let browser;

before(async () => {
  browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu']});
});
after(() => browser?.close());

async function open(name, options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
  const page = await context.newPage();
  page.complaints = [];
  page.on(
      'console', (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  await page.goto(pathToFileURL(`${folder}/${name}.html`).href);
  return page;
}

const focused = (page) => page.evaluate(() => document.activeElement.innerText.replace(/\s+/g, ' ').slice(0, 40));

test('on a telephone nothing is wider than the page, and no word of a table is broken', async () => {
  const page = await open('verdict', {viewport: {width: 390, height: 800}});
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const broken = await page.evaluate(() => {
    const range = document.createRange();
    const words = [];
    for (const cell of document.querySelectorAll('td, th')) {
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let node; (node = walker.nextNode());)
        for (const {index, 0: word} of node.data.matchAll(/\S+/g)) {
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (word.length < 30 && range.getClientRects().length > 1) words.push(word);
        }
    }
    return words;
  });
  assert.deepEqual(broken, []);
  for (const text of await page.locator('.speed text').all()) {
    const box = await text.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390, `${await text.textContent()} is not clipped`);
    assert.ok(box.height >= 8, `${await text.textContent()} can be read`);
  }
});

test('what waits is grey, what is wrong is red', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open('verdict', {colorScheme});
    const colour = async (selector) => {
      const [red, green, blue] = (await page.locator(selector).first().evaluate(
                                      (node) => getComputedStyle(node).borderLeftColor.match(/[\d.]+/g)))
                                     .map(Number);
      return red > 1.4 * Math.max(green, blue)                          ? 'red' :
          Math.max(red, green, blue) < 1.4 * Math.min(red, green, blue) ? 'grey' :
                                                                          'other';
    };
    assert.equal(await colour('.finding.waiting'), 'grey', colorScheme);
    assert.equal(await colour('.failure'), 'red', colorScheme);
  }
});

test('the keys go from place to place, change the theme and explain themselves', async () => {
  const page = await open('verdict');
  await page.keyboard.press('j');
  assert.match(await focused(page), /^FIX FIRST/i);
  await page.keyboard.press('n');
  assert.match(await focused(page), /^block \+ 1/);
  for (let step = 0; step < 2; ++step) await page.keyboard.press('n');
  const mistake = await focused(page);
  assert.match(mistake, /racecheck/);
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  assert.equal(await focused(page), mistake);
  await page.keyboard.press('t');
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.keyboard.press('?');
  assert.match(await page.locator('dialog.keys').innerText(), /the next or the previous place/);
  assert.doesNotMatch(await page.locator('dialog.keys').innerText(), /another column/, 'it has none');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog.keys').isVisible(), false);
  assert.deepEqual(page.complaints, []);
});

test('the line to begin with leads to its place in the code', async () => {
  const page = await open('verdict');
  await page.locator('.next a').press('Enter');
  assert.equal(await page.evaluate(() => document.querySelector(':target').tagName), 'MARK');
});

test('texts of a submission stay text, and no script but the page’s own may run', async () => {
  const page = await open('hostile');
  assert.equal(await page.locator('img').count(), 0);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.broken = true';
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator('.top button').count(), 2, 'which did run');
});
