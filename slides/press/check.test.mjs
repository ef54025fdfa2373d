// What is checked of a deck without a browser: structure, links, spelling.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';

import {checkLinks} from './links.mjs';
import {Problems} from './problem.mjs';
import {checkSpelling, prose, readWords} from './spelling.mjs';
import {checkStructure, limits} from './structure.mjs';
import {head, made, treeWith} from './testing/made_deck.mjs';
import {checkUnused} from './unused.mjs';

const told = (check) => {
  const problems = new Problems();
  check(problems);
  return problems.sentences();
};

// A lecture as it should be: one string a slide, to be changed by a test.
function lecture() {
  const slides = Array.from(
      {length: 20}, (_, i) => ({classes: '', title: `Slide ${i}`, body: 'text', notes: 'word '.repeat(310)}));
  Object.assign(slides[0], {classes: 'lead'});
  Object.assign(slides[1], {classes: 'question', notes: `${'word '.repeat(308)}\nDiscussion: 1 minute.`});
  for (const i of [7, 12])
    Object.assign(
        slides[i], {classes: 'question', notes: `${'word '.repeat(300)}\nDiscussion: 4 minutes.\n\nAnswer: yes`});
  Object.assign(slides[18], {classes: 'check', notes: 'Discussion: 5 minutes.'});
  Object.assign(slides[19], {body: '`make check LAB=matmul`'});
  return slides;
}

const written = (slides) => head +
    slides
        .map(
            ({classes, title, body, notes}) => `${classes && `<!-- _class: ${classes} -->\n\n`}## ${title}\n\n${
                body}\n\n${notes && `<!-- notes:\n${notes}\n-->\n`}`)
        .join('\n---\n\n');

function structure(t, change) {
  const slides = lecture();
  change(slides);
  const root = treeWith(t, {'labs/matmul/README.md': ''});
  return told((problems) => checkStructure(made(written(slides)).deck, problems, root))
      .map((each) => each.replace(/^deck\.md:\d+: /, ''));
}

test('a lecture as it should be has no fault', (t) => assert.deepEqual(structure(t, () => {}), []));

test('a lecture is neither too short nor too long', (t) => {
  assert.deepEqual(structure(t, (slides) => slides.splice(13, 3)), [
    'the deck has 17 slides; a lecture has 18 to 30', 'notes and discussions take 52 minutes; a lecture takes 55 to 75'
  ]);
  assert.deepEqual(
      structure(t, (slides) => (slides[3].notes = 'word '.repeat(1000))),
      ['the notes have 6574 words; a lecture has 6500 at most, 50 minutes']);
  assert.deepEqual(
      structure(t, (slides) => (slides[7].notes = 'Discussion: 25 minutes.\n\nAnswer: yes')),
      ['notes and discussions take 78 minutes; a lecture takes 55 to 75']);
  assert.deepEqual(limits, {slides: [18, 30], words: 6500, minutes: [55, 75]});
});

test('a slide on which the audience has to think says for how long', (t) => {
  for (const notes of ['word '.repeat(310), `${'word '.repeat(310)} Discussion: 2 minutes.`])
    assert.deepEqual(
        structure(t, (slides) => (slides[1].notes = notes)),
        ['the notes of "Slide 1" do not say how long it is discussed; add a line "Discussion: 2 minutes."']);
});

test('a number from a table counts as one word of the notes', (t) => {
  assert.deepEqual(
      structure(t, (slides) => (slides[3].notes = `${'word '.repeat(309)}{{${'a b '.repeat(1500)}}}`)), []);
});

test('every slide has notes', (t) => assert.deepEqual(structure(t, (slides) => (slides[3].notes = '')), [
  'the slide "Slide 3" has no notes; add a comment that begins with the line "<!-- notes:"'
]));

test('a lecture opens with its title and a question', (t) => {
  assert.deepEqual(
      structure(t, (slides) => (slides[0].classes = '')),
      ['the first slide is not the title; add <!-- _class: lead -->']);
  assert.deepEqual(
      structure(t, (slides) => (slides[1].classes = '')),
      ['the second slide is not the opening question; add <!-- _class: question -->']);
});

test('a lecture asks twice more, with answers in the notes', (t) => {
  assert.deepEqual(
      structure(t, (slides) => (slides[7].classes = '')),
      ['besides the opening question the deck has 1 slide of class question; it needs at least 2']);
  assert.deepEqual(
      structure(t, (slides) => (slides[7].notes = `${'word '.repeat(300)}\nDiscussion: 4 minutes.`)),
      ['the notes of the question "Slide 7" have no answer; begin it with a line "Answer:"']);
});

test('a lecture ends with a check and the way into its lab', (t) => {
  assert.deepEqual(
      structure(t, (slides) => (slides[18].classes = '')),
      ['the deck has no slide of class check; end with one, and a slide that points to the lab after it']);
  assert.deepEqual(
      structure(t, (slides) => (slides[19].body = 'Thanks')),
      ['the slide after the last of class check does not point to the lab; name `make check LAB=matmul` on it']);
  assert.deepEqual(
      structure(t, (slides) => slides.splice(19, 1)),
      ['after the last slide of class check come no slides; one that points to the lab must, and one of sources may']);
});

test('a lab that there is not is told', (t) => {
  const root = treeWith(t, {});
  const sentences = told((problems) => checkStructure(made(written(lecture())).deck, problems, root));
  assert.deepEqual(sentences, ['deck.md:1: there is no lab "matmul"; name a folder of labs/']);
});

test('links lead to slides, decks and files that there are', (t) => {
  const root =
      treeWith(t, {'deck/deck.md': '', 'other/deck.md': '# Tiles\n', 'labs/a/README.md': '## Stage 2: tiles\n'});
  const links = (body) => told((problems) => checkLinks(made(`${head}# One\n\n${body}\n`, root).deck, problems, root));
  assert.deepEqual(
      links('[a](#one) [b](../other/deck.md#tiles) [c](/labs/a/README.md#stage-2-tiles) [d](https://example.org)'), []);
  assert.deepEqual(
      links('[a](#two)'), ['deck.md:10: no slide of this deck has the address #two; the addresses are made of titles']);
  assert.deepEqual(
      links('[a](../other/deck.md#tile)'), ['deck.md:10: ../other/deck.md has no heading with the address #tile']);
  assert.deepEqual(links('[a](/labs/b/README.md)'), [
    'deck.md:10: there is no file /labs/b/README.md; links are relative to the deck, or begin with / at the root of the tree'
  ]);
  assert.deepEqual(links('[a]()'), ['deck.md:10: a link leads nowhere; write its target in ( )']);
});

test('links lead from the page to where things lie', (t) => {
  const root = treeWith(t, {});
  const {expanded} = made(`${head}# One\n\n[b](../05_x/deck.md#tiles) [c](/labs/a/README.md) [d](#one)\n`, root);
  assert.match(expanded.markdown, /\[b\]\(05_x\.html#tiles\) \[c\]\(\.\.\/\.\.\/labs\/a\/README\.md\) \[d\]\(#one\)/);
});

test('code, numbers, formulas, paths and addresses are not spelt', () => {
  const words = prose('Call `cudaMalloc` of a_tile, $x_{qq}$, {{a | b}}, [docs](qqq.md) and solutions/qqq.cu at n4x')
                    .match(/\p{L}+/gu);
  assert.deepEqual(words, ['Call', 'of', 'docs', 'and', 'at']);
});

test('a word that no dictionary has is told once, with its line', () => {
  const {deck} =
      made(`${head}# One\n\nA tile of colours, and a tyle\n\n<!-- notes:\nA tyle’s rim, Kogge and kogge.\n-->\n`);
  assert.deepEqual(
      told((problems) => checkSpelling(deck, problems, new Set(['kogge']))),
      ['deck.md:10: "tyle" is in no dictionary; mend it, put it in `…` if it is code, or add it to slides/words.txt']);
});

test('words are British, as in the whole tree', () => {
  const {deck} = made(`${head}# One\n\nThe color gray\n`);
  assert.match(told((problems) => checkSpelling(deck, problems, new Set()))[0] ?? '', /"color" is in no dictionary/);
});

test('the list of words is sorted', (t) => {
  const root = treeWith(t, {'words.txt': 'b\na\n'});
  assert.deepEqual(told((problems) => readWords(path.join(root, 'words.txt'), problems, 'slides/words.txt')), [
    'slides/words.txt: the words are not sorted, or one is there twice; run  LC_ALL=C sort -u -o slides/words.txt slides/words.txt'
  ]);
  fs.writeFileSync(path.join(root, 'words.txt'), 'B\na\nb\n');
  assert.deepEqual(told((problems) => readWords(path.join(root, 'words.txt'), problems, 'slides/words.txt')), []);
});

test('a file beside a deck that no slide shows is told', (t) => {
  const root = treeWith(
      t,
      {'deck/deck.md': '', 'deck/old.svg': '', 'deck/tile.svg': '<svg viewBox="0 0 1 1"></svg>', 'deck/scale.cu': ''});
  const {deck} = made(
      `${head}# One\n\n![a](tile.svg)\n\n\`\`\`cuda include="deck/scale.cu"\n\`\`\`\n\n<!-- notes:\nold.svg\n-->\n`,
      root);
  assert.deepEqual(
      told((problems) => checkUnused([deck], problems)), ['old.svg: no slide shows this file; show it or delete it']);
});
