// The press as it is called: what it writes, what it says, what it exits with; and its pages in Chromium.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {withBrowser} from './browser.mjs';
import {readDeck} from './deck.mjs';
import {expandDeck} from './expand.mjs';
import {indexPage} from './pages.mjs';
import {Problems} from './problem.mjs';
import {root} from './tree.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const sample = path.join(here, 'testing/two_slides');
const out = fs.mkdtempSync(path.join(os.tmpdir(), 'lanewise-press-'));
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'lanewise-press-'));
after(() => [out, temporary].forEach((folder) => fs.rmSync(folder, {recursive: true, force: true})));

function call(...words) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [path.join(here, 'press.mjs'), ...words], {
    encoding: 'utf8',
    env: {...process.env, TMPDIR: temporary},
  });
  return {status, stdout, stderr};
}

let built;
before(() => {
  built = call('build', '--format', 'html,pdf,pptx,handout,png', '--out', out, sample);
});

const file = (name) => fs.readFileSync(path.join(out, name));

test('every format is written, and said', () => {
  assert.equal(built.status, 0, built.stderr);
  for (const name of ['two_slides.html', 'two_slides.pdf', 'two_slides.pptx']) {
    assert.match(built.stdout, new RegExp(`${name} \\(\\d+\\.\\d s\\)`));
    assert.ok(file(name).length > 1000);
  }
  assert.deepEqual(
      fs.readdirSync(path.join(out, 'two_slides')), ['01_two-slides.png', '02_a-tile-in-shared-memory.png']);
  assert.deepEqual(fs.readdirSync(out).filter((name) => name.startsWith('.')), [], 'nothing is left behind');
});

test('nothing is left in the temporary folder', () => {
  assert.deepEqual(fs.readdirSync(temporary), []);
});

test('an interrupted press leaves nothing there either', async () => {
  const build = spawn(
      process.execPath,
      [path.join(here, 'press.mjs'), 'build', '--format', 'pdf', '--out', path.join(out, 'interrupted'), sample],
      {stdio: 'ignore', env: {...process.env, TMPDIR: temporary}});
  const ended = once(build, 'exit');
  const hasStarted = () => fs.readdirSync(temporary, {recursive: true}).some((name) => name.includes('marp-cli'));
  while (!hasStarted() && build.exitCode === null) await setTimeout(5);
  build.kill('SIGINT');
  assert.deepEqual(await ended, [130, null]);
  assert.deepEqual(fs.readdirSync(temporary), []);
  assert.deepEqual(fs.readdirSync(path.join(out, 'interrupted')), []);
});

test('a PDF has a page a slide', () => {
  const text = file('two_slides.pdf').toString('latin1');
  assert.match(text, /^%PDF-/);
  assert.equal(text.match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 2, 2);
});

test('a handout has two slides a page', () => {
  assert.match(built.stdout, /two_slides_handout\.pdf/);
  const text = file('two_slides_handout.pdf').toString('latin1');
  assert.equal(text.match(/\/Type\s*\/Page\b(?!s)/g)?.length, 1);
});

test('a PPTX has a slide a slide', () => {
  const names = file('two_slides.pptx').toString('latin1').match(/ppt\/slides\/slide\d+\.xml/g);
  assert.deepEqual([...new Set(names)].sort(), ['ppt/slides/slide1.xml', 'ppt/slides/slide2.xml']);
});

test('a page needs no other file and no network', () => {
  const text = file('two_slides.html').toString();
  assert.doesNotMatch(text, /<(?:script|img|link|iframe)\b[^>]*\s(?:src|href)="(?!data:)/);
  assert.doesNotMatch(text, /url\(["']?(?:https?:)?\/\//);
});

async function onPage(work) {
  await withBrowser(async (browser) => {
    const page = await browser.newPage();
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => !/^(?:file|data):/.test(request.url()) && complaints.push(request.url()));
    await work(page, pathToFileURL(path.join(out, 'two_slides.html')).href);
    assert.deepEqual(complaints, []);
  });
}

const shown = (page) =>
    page.waitForFunction(() => document.querySelector('.bespoke-marp-active h1, .bespoke-marp-active h2'))
        .then((found) => found.evaluate((heading) => heading.textContent));
const becomes = (page, dark) => page.waitForFunction(
    (dark) => document.querySelector('.bespoke-marp-active section')?.classList.contains('invert') === dark, {}, dark);

test(
    'an address names a slide by its title or by its number',
    () => onPage(async (page, url) => {
      for (const address of ['#a-tile-in-shared-memory', '#2']) {
        await page.goto('about:blank');
        await page.goto(url + address);
        await page.waitForFunction(() => document.querySelectorAll('svg.bespoke-marp-active').length === 1);
        assert.equal(await shown(page), 'A tile in shared memory', address);
      }
    }));

test('turning a page puts the title into the address', () => onPage(async (page, url) => {
                                                         await page.goto(url);
                                                         assert.equal(await shown(page), 'Two slides');
                                                         await page.keyboard.press('ArrowRight');
                                                         await page.waitForFunction(
                                                             () => location.hash === '#a-tile-in-shared-memory');
                                                         assert.equal(await shown(page), 'A tile in shared memory');
                                                       }));

test(
    'a page is as dark as the system, the key d turns it, and that is remembered',
    () => onPage(async (page, url) => {
      await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'dark'}]);
      await page.goto(url);
      await shown(page);
      await becomes(page, true);
      await page.keyboard.press('d');
      await becomes(page, false);
      await page.reload();
      await shown(page);
      await becomes(page, false);
    }));

test(
    'notes are in the page, for the presenter',
    () => onPage(async (page, url) => {
      await page.goto(url);
      const notes = await page.$$eval('.bespoke-marp-note', (all) => all.map((note) => note.textContent.trim()));
      assert.equal(notes.length, 2);
      assert.match(notes[0], /^Welcome\. These notes are wrapped where they were written\./);
    }));

// A projector of 4:3.
const small = {
  width: 1024,
  height: 768
};
const box = (page, selector) => page.waitForSelector(selector).then((found) => found.boundingBox());

test('a slide keeps its shape on a small projector', () => onPage(async (page, url) => {
                                                       await page.setViewport(small);
                                                       await page.goto(`${url}#2`);
                                                       const {x, y, width, height} =
                                                           await box(page, '.bespoke-marp-active section');
                                                       assert.deepEqual(
                                                           {x, width, height}, {x: 0, width: 1024, height: 576});
                                                       assert.ok(y > 90 && y + height < small.height - 90, `${y}`);
                                                     }));

test(
    'the presenter sees slide, notes, next slide, time and stopwatch beside each other, also on a small screen',
    () => onPage(async (page, url) => {
      await page.setViewport(small);
      await page.goto(`${url}?view=presenter`);
      const part = (name) => box(page, `.bespoke-marp-presenter-${name}`);
      const [next, notes, info] = [await part('next'), await part('note-wrapper'), await part('info-container')];
      const slide = await box(page, '.bespoke-marp-active section');
      assert.ok(slide.width > small.width / 2 && slide.x + slide.width <= next.x && slide.y + slide.height <= info.y);
      assert.ok(next.width > 300 && next.x + next.width <= small.width && next.y + next.height <= notes.y);
      assert.ok(notes.width > 300 && notes.height > 500 && notes.x + notes.width <= small.width);
      const text = (name) => page.$eval(`.bespoke-marp-presenter-${name}`, ({innerText}) => innerText);
      assert.match(await text('note-wrapper'), /^Welcome\. These notes are wrapped/);
      assert.match(await text('info-time'), /\d:\d\d:\d\d/);
      assert.match(await text('info-timer'), /^00:00:\d\d$/);
      const frame = await page.waitForFrame((frame) => frame.url().includes('view=next'));
      await frame.waitForFunction(
          () => document.querySelector('.bespoke-marp-active h2')?.id === 'a-tile-in-shared-memory');
    }));

test('the index names the deck’s question, lab, minutes, formats and slides', () => {
  const problems = new Problems();
  const deck = readDeck(sample, problems);
  const page = indexPage([{deck, expanded: expandDeck(deck, problems, root, out)}], out);
  for (const part
           of ['Do code, numbers and figures reach a slide?', '<code>matmul</code>', '0 minutes',
               'href="two_slides.pdf"', 'href="two_slides.pptx"', 'href="two_slides.html#a-tile-in-shared-memory"'])
    assert.ok(page.includes(part), part);
});

test('help has examples and says what the exit codes mean', () => {
  const {status, stdout} = call('--help');
  assert.equal(status, 0);
  for (const part of ['Examples:', 'Exit code:', '--format', '--out', '--dark']) assert.ok(stdout.includes(part), part);
});

const misuses = {
  'no command': [[], 'slides: name a command: build, check, translated or numbers'],
  'an unknown command':
      [['press'], 'slides: there is no command \'press\'; there are build, check, translated and numbers'],
  'an unknown option': [['build', '--pdf'], 'slides: there is no option --pdf'],
  'an unknown format': [
    ['build', '--format', 'doc', sample], 'slides: there is no format \'doc\'; there are html, pdf, pptx, handout, png'
  ],
  'an option without its value': [['build', '--out'], 'slides: --out needs a value'],
};
for (const [what, [words, sentence]] of Object.entries(misuses))
  test(`exit code 2: ${what}`, () => {
    const {status, stderr} = call(...words);
    assert.equal(status, 2);
    assert.equal(stderr, `${sentence}\n        node slides/press/press.mjs --help tells more\n`);
  });

test('exit code 2: an unknown deck, with those that there are', () => {
  const {status, stderr} = call('check', '99_nothing');
  assert.equal(status, 2);
  assert.match(stderr, /^slides: there is no deck '99_nothing'; there are: /);
});

test('exit code 1: a deck with a mistake, and nothing is written', () => {
  const folder = path.join(out, 'broken');
  fs.mkdirSync(folder);
  fs.writeFileSync(
      path.join(folder, 'deck.md'),
      file(path.relative(out, path.join(sample, 'deck.md'))).toString().replace('boxes.svg', 'circles.svg'));
  const {status, stderr} = call('build', '--out', path.join(out, 'none'), folder);
  assert.equal(status, 1);
  assert.match(stderr, /broken\/deck\.md:\d+: there is no figure circles\.svg; .*\nslides: 1 mistake\n$/);
  assert.ok(!fs.existsSync(path.join(out, 'none')));
});

test('exit code 2: a folder that cannot be written to', () => {
  const inTheWay = path.join(out, 'two_slides.html', 'slides');
  const {status, stderr} = call('build', '--out', inTheWay, sample);
  assert.equal(status, 2);
  assert.ok(stderr.startsWith(`slides: nothing can be written to ${inTheWay} (ENOTDIR); `), stderr);
});

test('exit code 3: no room for temporary files', () => {
  const {status, stderr} = spawnSync(
      process.execPath, [path.join(here, 'press.mjs'), 'build', sample],
      {encoding: 'utf8', env: {...process.env, TMPDIR: '/nonexistent'}});
  assert.equal(status, 3);
  assert.equal(stderr, 'slides: no temporary folder can be made in /nonexistent (ENOENT); look at TMPDIR\n');
});

test('exit code 3: no Chromium, with what to run', () => {
  const {status, stderr} = spawnSync(
      process.execPath, [path.join(here, 'press.mjs'), 'build', '--format', 'png', '--out', out, sample],
      {encoding: 'utf8', env: {...process.env, PATH: '/nonexistent', CHROME_PATH: ''}});
  assert.equal(status, 3);
  assert.equal(stderr, 'slides: Chromium was not found; run  scripts/prepare.sh slides  or name it in CHROME_PATH\n');
});
