// Decks in another language: how they are read, shown, marked and checked.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {withBrowser} from './browser.mjs';
import {expandDeck} from './expand.mjs';
import {words} from './notes.mjs';
import {indexPage} from './pages.mjs';
import {Problems} from './problem.mjs';
import {head, treeWith} from './testing/made_deck.mjs';
import {readDecks} from './translation.mjs';
import {checkUnused} from './unused.mjs';

const svg = (word) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200" font-size="40">
  <text x="10" y="100" fill="var(--ink,#1f2933)">${word}</text></svg>`;
const english = `${head}# Warps

<!-- notes:
Welcome.
-->

---

## A warp

![a picture](warp.svg)

[other](../other/deck.md#one)

Source: a book

<!-- notes:
Discussion: 2 minutes.

Answer:
32 lanes.
-->

---

## Lanes

![a picture](lane.svg)
`;
const chinese = `${head.replace('A test', '线程束')}<!-- original: warps -->

# 线程束

<!-- notes:
欢迎。
-->

---

<!-- original: a-warp -->

## 什么是线程束

![图](warp.svg)

[其他](../other/deck.md#one)

Source: 一本书

<!-- notes:
Discussion: 2 minutes.

Answer:
一个线程束有
32 个线程，
它们一起执行。
-->

---

<!-- original: lanes -->

## 通道

![图](lane.svg)
`;
const files = {
  'deck/deck.md': english,
  'deck/deck.zh-CN.md': chinese,
  'deck/warp.svg': svg('warp'),
  'deck/warp.zh-CN.svg': svg('线程束'),
  'deck/lane.svg': svg('lane'),
  'other/deck.md': '',
  'other/deck.zh-CN.md': '',
};

// The two decks of a folder with these files, after these changes: {text in file: [from, to]}.
function read(t, changed = {}) {
  const root = treeWith(t, {...files, ...changed});
  const problems = new Problems();
  const decks = readDecks(path.join(root, 'deck'), problems);
  const expanded = decks.map((deck) => expandDeck(deck, problems, root, path.join(root, 'out')));
  const plain = (list) => problems.sentences(list).map((each) => each.replace(/[^\s(]*\/deck\//g, ''));
  return {root, decks, expanded, problems: plain(problems.list), warnings: plain(problems.warnings)};
}

function press(...words) {
  const program = path.join(path.dirname(fileURLToPath(import.meta.url)), 'press.mjs');
  return spawnSync(process.execPath, [program, ...words], {encoding: 'utf8'});
}

// A tree whose translation is marked as up to date.
function marked(t) {
  const root = treeWith(t, files);
  const folder = path.join(root, 'deck');
  const {status, stdout} = press('translated', folder);
  assert.equal(status, 0);
  assert.match(stdout, /deck\.zh-CN\.md: 3 slides marked as up to date\n$/);
  const file = (name) => path.join(folder, name);
  const replace = (name, from, to) =>
      fs.writeFileSync(file(name), fs.readFileSync(file(name), 'utf8').replace(from, to));
  const outdated = () => {
    const problems = new Problems();
    const [, {slides}] = readDecks(folder, problems);
    return slides.filter((slide) => slide.outdated).map(({slug}) => slug);
  };
  return {folder, replace, outdated, text: () => fs.readFileSync(file('deck.zh-CN.md'), 'utf8')};
}

test('a translated slide has the address of its original', (t) => {
  const {decks, problems} = read(t);
  assert.deepEqual(problems, []);
  assert.deepEqual(decks.map(({name}) => name), ['deck', 'deck.zh-CN']);
  assert.deepEqual(decks[1].slides.map(({slug}) => slug), ['warps', 'a-warp', 'lanes']);
});

test('its page is in its language, with its figures, keywords and links to translated decks', (t) => {
  const [, expanded] = read(t).expanded;
  const [, slide] = expanded.slides;
  assert.equal(expanded.language, 'zh-CN');
  assert.match(expanded.markdown, /^lang: zh-CN$/m);
  assert.match(expanded.markdown, /来源：一本书/);
  assert.match(expanded.markdown, /\[其他\]\(other\.zh-CN\.html#one\)/);
  assert.match([...slide.figures.values()][0], />线程束</);
  assert.match([...expanded.slides[2].figures.values()][0], />lane</);
  assert.equal(slide.notes, '讨论：2 分钟。\n\n答案：一个线程束有 32 个线程，它们一起执行。');
});

test('slides that do not record their original are reported until they are marked', (t) => {
  const sentence =
      'this slide does not record what it was translated from; when it is done, run  node slides/press/press.mjs translated deck';
  assert.deepEqual(read(t).warnings, [8, 18, 39].map((line) => `deck.zh-CN.md:${line}: ${sentence}`));
  const {folder, text, outdated} = marked(t);
  assert.match(text(), /^<!-- original: a-warp [0-9a-f]{8} -->$/m);
  assert.equal(text().replace(/(?<=^<!-- original: \S+) [0-9a-f]{8}/gm, ''), chinese);
  assert.deepEqual(readDecks(folder, new Problems())[1].slides.map(({original}) => original.hash.length), [8, 8, 8]);
  assert.deepEqual(outdated(), []);
});

test('a slide is out of date when its original, its notes or its translated figure has changed', (t) => {
  const changes = [
    ['deck.md', '## A warp\n', '## A warp\n\nmore\n', ['a-warp']],
    ['deck.md', '32 lanes.', '32 threads.', ['a-warp']],
    ['deck.md', '## Lanes\n', '## Lanes  \n', []],
    ['deck.md', 'Answer:\n32 lanes.', 'Answer: 32\nlanes.', []],
    ['deck.md', 'title: "A test"', 'title: "Another"', ['warps']],
    ['warp.svg', '>warp<', '>warps<', ['a-warp']],
    ['lane.svg', '>lane<', '>lanes<', []],
  ];
  for (const [name, from, to, expected] of changes) {
    const {replace, outdated} = marked(t);
    replace(name, from, to);
    assert.deepEqual(outdated(), expected, `${name}: ${to}`);
  }
});

test('an updated slide is marked again, and no other', (t) => {
  const {folder, replace, outdated} = marked(t);
  replace('deck.md', 'Welcome.', 'Hello.');
  replace('deck.md', '32 lanes.', '32 threads.');
  assert.match(press('translated', folder).stdout, /: 0 slides marked/);
  assert.deepEqual(outdated(), ['warps', 'a-warp']);
  assert.match(press('translated', `${folder}#a-warp`).stdout, /: 1 slide marked/);
  assert.deepEqual(outdated(), ['warps']);
  const {status, stderr} = press('translated', `${folder}#a-wrap`);
  assert.equal(status, 2);
  assert.match(stderr, /no translation of \S+ has a slide #a-wrap that the original has, too/);
  fs.rmSync(path.join(folder, 'deck.zh-CN.md'));
  assert.match(press('translated', folder).stdout, /no deck\.LANGUAGE\.md lies beside the deck\.md of /);
});

test('a slide that is not translated appears in its place in the original', (t) => {
  const {decks, expanded, warnings} =
      read(t, {'deck/deck.zh-CN.md': chinese.replace(/<!-- original: a-warp[^]*?\n---\n\n/, '')});
  assert.deepEqual(decks[1].slides.map(({title}) => title), ['线程束', 'A warp', '通道']);
  assert.deepEqual(expanded[1].slides.map(({language}) => language), ['zh-CN', 'en-GB', 'zh-CN']);
  assert.match(expanded[1].markdown, /\[尚未翻译\]\(deck\.html#a-warp\)/);
  assert.ok(warnings.includes(
      'deck.zh-CN.md: the slide #a-warp (deck.md:16) is not translated; the page shows the original'));
});

test('a slide whose original is gone is reported', (t) => {
  const {problems, warnings} = read(t, {'deck/deck.md': english.replace('## Lanes', '## Threads')});
  assert.deepEqual(problems, []);
  assert.ok(warnings.includes(
      'deck.zh-CN.md:39: the original no longer has a slide #lanes; name the one that this slide translates, or delete it'));
});

test('a slide that names no original and an unknown language are mistakes', (t) => {
  assert.deepEqual(read(t, {'deck/deck.zh-CN.md': chinese.replace('original: lanes', 'original lanes')}).problems, [
    'deck.zh-CN.md:39: a translated slide names its original once, on a line of its own: <!-- original: its-address -->'
  ]);
  assert.deepEqual(
      read(t, {'deck/deck.tlh.md': ''}).problems,
      ['deck.tlh.md: the press does not know the language "tlh"; it knows zh-CN (press/languages.mjs)']);
});

test('200 Chinese characters take as long as 130 English words', () => {
  assert.equal(words('线程'.repeat(100)), 130);
  assert.equal(words('每个块有 256 个线程，叫做 `block`。'), 2 + 9 * 130 / 200);
});

test('a figure in another language belongs to the one that a slide shows', (t) => {
  const {decks} = read(t, {'deck/old.zh-CN.svg': svg('旧')});
  const problems = new Problems();
  checkUnused(decks, problems);
  assert.deepEqual(problems.list.map(({file}) => path.basename(file)), ['old.zh-CN.svg']);
});

test('page and index name the language and the slides that need a translator', async (t) => {
  const {folder, replace, text} = marked(t);
  replace('deck.md', '32 lanes.', '32 threads.');
  fs.writeFileSync(path.join(folder, 'deck.zh-CN.md'), text().replace(/\n---\n\n<!-- original: lanes[^]*/, ''));
  const out = path.join(folder, 'out');
  const {status, stderr} = press('build', '--out', out, folder);
  assert.equal(status, 0, stderr);
  assert.match(
      stderr,
      /^warning: \S*deck\.zh-CN\.md:\d+: the original of this slide .* has changed since; update it, then run  /m);
  const decks = readDecks(folder, new Problems())
                    .map((deck) => ({deck, expanded: expandDeck(deck, new Problems(), folder, out)}));
  const index = indexPage(decks, out);
  assert.match(index, /<a href="deck\.zh-CN\.html" hreflang="zh-CN" lang="zh-CN">简体中文: 线程束<\/a>/);
  assert.match(index, /out of date: <a href="deck\.zh-CN\.html#a-warp">什么是线程束<\/a>/);
  assert.match(index, /not translated: <a href="deck\.zh-CN\.html#lanes">Lanes<\/a>/);
  assert.equal(index.match(/<article/g).length, 1);
  await withBrowser(async (browser) => {
    const page = await browser.newPage();
    await page.goto(`${pathToFileURL(path.join(out, 'deck.zh-CN.html')).href}#a-warp`);
    await page.waitForFunction(() => document.querySelector('.bespoke-marp-active h2')?.id === 'a-warp');
    assert.deepEqual(
        await page.evaluate(
            () => [document.documentElement, ...document.querySelectorAll('section')].map(({lang}) => lang)),
        ['zh-CN', 'zh-CN', 'zh-CN', 'en-GB']);
    assert.deepEqual(
        await page.$$eval(
            '.state-of-translation a', (all) => all.map((each) => [each.textContent, each.getAttribute('href')])),
        [['原文已更新，译文尚未跟进', 'deck.html#a-warp'], ['尚未翻译', 'deck.html#lanes']]);
    const session = await page.createCDPSession();
    await session.send('DOM.enable');
    await session.send('CSS.enable');
    const {root} = await session.send('DOM.getDocument');
    const {nodeId} = await session.send('DOM.querySelector', {nodeId: root.nodeId, selector: '#a-warp'});
    const {fonts} = await session.send('CSS.getPlatformFontsForNode', {nodeId});
    assert.deepEqual(fonts.map(({familyName}) => familyName), ['WenQuanYi Micro Hei']);
  });
});
