// Figures that are shown step by step: what is seen in each view, in Chromium.
import assert from 'node:assert/strict';
import path from 'node:path';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {withBrowser} from './browser.mjs';
import {press} from './formats.mjs';
import {finishedPage} from './pages.mjs';
import {head, made, treeWith} from './testing/made_deck.mjs';

const box = (name, step) => `<g id="${name}"${step ? ` data-step="${step}"` : ''}>
  <rect x="10" y="40" width="180" height="120" fill="var(--blue-soft,#dbe8f6)"/></g>`;
const svg = (...boxes) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200">${boxes.join('')}</svg>`;

// The second step is drawn below the first, and has a part in each figure.
const figures = {
  'deck/walk.svg': svg(box('b', 2), box('always'), box('a', 1)),
  'deck/result.svg': svg(box('c', 2)),
  'deck/gap.svg': svg(box('a', 1), box('c', 3)),
  'deck/word.svg': svg(box('a', 'first')),
};
const slide = (title, ...shown) => `## ${title}\n\n${shown.map((name) => `![a](${name})`).join('\n\n')}\n`;
const columns = `<!-- _class: columns -->\n\n## A walk\n\n![a](walk.svg)\n\n+++\n\n![a](result.svg)\n`;

const root = treeWith(test, figures);
const url = pathToFileURL(path.join(root, 'test.html')).href;
test.before(async () => {
  const {deck, expanded, sentences} = made(`${head}# Start\n\n---\n\n${columns}\n---\n\n## End\n`, root);
  assert.deepEqual(sentences, []);
  await press([{deck, expanded}], ['html'], root, {say: () => {}, finishHtml: finishedPage});
});

async function onPage(work, javaScript = true) {
  await withBrowser(async (browser) => {
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(javaScript);
    await work(page);
  });
}

// Opens an address and waits for Marp's viewer; `shown` then names the parts of the figures that are to be seen.
async function open(page, address) {
  await page.goto('about:blank');
  await page.goto(url + address);
  await page.waitForSelector('svg.bespoke-marp-active');
}
const partsSeen = () => [...document.querySelectorAll('[data-step], [id$="-always"]')]
                            .filter((each) => getComputedStyle(each).visibility === 'visible')
                            .map(({id}) => id.slice(-1) === 's' ? 'always' : id.slice(-1))
                            .sort();
const shows = (page, parts) => page.waitForFunction(
    `JSON.stringify((${partsSeen})()) === ${JSON.stringify(JSON.stringify(parts))}`, {timeout: 10000});
const title = (page) => page.$eval('svg.bespoke-marp-active :is(h1, h2)', (heading) => heading.textContent);

test(
    'the arrow key shows one step after the other, then the next slide; back, the slide is as it was left',
    () => onPage(async (page) => {
      await open(page, '#a-walk');
      for (const parts of [['always'], ['a', 'always'], ['a', 'always', 'b', 'c']]) {
        await shows(page, parts);
        assert.equal(await title(page), 'A walk');
        await page.keyboard.press('ArrowRight');
      }
      await page.waitForFunction(() => location.hash === '#end');
      await page.keyboard.press('ArrowLeft');
      await shows(page, ['a', 'always', 'b', 'c']);
      assert.equal(await title(page), 'A walk');
    }));

test(
    'an address opens on the first state, or on the step that it names, and on the last where it names too many',
    () => onPage(async (page) => {
      for (const [address, parts] of [
               ['#a-walk', ['always']], ['#2', ['always']], ['?f=1#a-walk', ['a', 'always']],
               ['?f=9#a-walk', ['a', 'always', 'b', 'c']]]) {
        await open(page, address);
        await shows(page, parts);
        assert.equal(await title(page), 'A walk', address);
      }
    }));

test('the presenter sees the step after this one as the next', () => onPage(async (page) => {
                                                                 await open(page, '?view=presenter#a-walk');
                                                                 await shows(page, ['always']);
                                                                 const frame = await page.waitForFrame(
                                                                     (frame) => frame.url().includes('view=next'));
                                                                 await shows(frame, ['a', 'always']);
                                                               }));

test('the overview, paper, and a page without JavaScript show all steps', async () => {
  const all = ['a', 'always', 'b', 'c'];
  await onPage(async (page) => {
    await open(page, '?view=overview#a-walk');
    await shows(page, all);
    await open(page, '#a-walk');
    await shows(page, ['always']);
    await page.emulateMediaType('print');
    await shows(page, all);
  });
  await onPage(async (page) => {
    await page.goto(url);
    assert.deepEqual(await page.evaluate(partsSeen), all);
  }, false);
});

test('steps count without gaps', () => {
  const told = (name) => made(head + slide('One', name), root).sentences;
  const sentence = (steps) => [`deck.md:8: the figures of this slide have the steps ${
      steps}; data-step must count 1, 2, 3 … without gaps`];
  assert.deepEqual(told('walk.svg'), []);
  assert.deepEqual(told('gap.svg'), sentence('1, 3'));
  assert.deepEqual(told('word.svg'), sentence('first'));
  assert.deepEqual(told('result.svg'), sentence('2'));
});
