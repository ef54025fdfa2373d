import assert from 'node:assert/strict';
import {test} from 'node:test';

import {plainTitle, slugOf} from './slug.mjs';
import {head, made} from './testing/made_deck.mjs';

const sentences = (body) => made(head + body).sentences;

test('a deck is cut at lines of three dashes, and not inside code or comments', () => {
  const {deck} = made(`${head}# One\n\n\`\`\`\n---\n\`\`\`\n\n<!-- notes:\n---\n-->\n\n---\n\n## Two\n`);
  assert.deepEqual(deck.slides.map(({title}) => title), ['One', 'Two']);
});

test('a slide knows its title, its classes, its notes and their lines', () => {
  const {deck} =
      made(`${head}\n<!-- _class: question wide-left -->\n\n## Who \`waits\`?\n\n<!-- notes:\nAll do.\n-->\n`);
  const [{title, slug, titleLine, classes, notes}] = deck.slides;
  assert.deepEqual({title, slug, titleLine, classes, notes}, {
    title: 'Who `waits`?',
    slug: 'who-waits',
    titleLine: 11,
    classes: ['question', 'wide-left'],
    notes: {line: 13, text: 'All do.'}
  });
});

test('an address is made of letters and digits of any language, without marks', () => {
  assert.equal(slugOf('Two barriers: *why* `__syncthreads()`?'), 'two-barriers-why-__syncthreads');
  assert.equal(slugOf('The launch: <<< blocks, threads >>>'), 'the-launch');
  assert.equal(plainTitle('The <em>launch</em>: <<< blocks >>>'), 'The launch: <<< blocks >>>');
  assert.equal(slugOf('What isn’t a race, naïvely'), 'what-isnt-a-race-naïvely');
});

test('an address does not depend on slides before it', () => {
  const alone = made(`${head}## A tile\n`).deck.slides[0].slug;
  assert.equal(made(`${head}## New\n\n---\n\n## A tile\n`).deck.slides[1].slug, alone);
});

const malformed = {
  'no front matter': [
    '# One\n',
    ['deck.md:1: the deck does not begin with front matter; begin with the lines "---", "marp: true", …, "---"'], ''
  ],
  'a front matter without its lab':
      ['# One\n', ['deck.md:1: the front matter has no "lab"; add "lab: …"'], head.replace('lab: matmul\n', '')],
  'a line in the front matter that is none': [
    '# One\n', ['deck.md:7: "and more" is not front matter; write "key: value" on one line'],
    head.replace(/---\n$/, 'and more\n---\n')
  ],
  'another theme': [
    '# One\n', ['deck.md:1: the theme is "gaia"; there is one theme: write "theme: lanewise"'],
    head.replace('lanewise', 'gaia')
  ],
  'a slide without a heading':
      ['text\n', ['deck.md:8: a slide has exactly one heading of # or ##, this one has 0; add "## Its title"']],
  'a slide with two headings': [
    '# One\n\n## Two\n',
    [
      'deck.md:10: a slide has exactly one heading of # or ##, this one has 2; use ### below it, or "---" to begin another slide'
    ]
  ],
  'two slides of one title': [
    '# One\n\n---\n\n## One\n',
    ['deck.md:12: two slides have the address #one (the other in line 8); give one another title']
  ],
  'a title that is a number': ['# 12\n', ['deck.md:8: "12" gives no address; a title needs a letter']],
  'a number from a table in a title':
      ['# About {{x}}\n', ['deck.md:8: a heading is an address and must last: put the number {{…}} below it']],
  'a rule under text': [
    '# One\n\ntext\n---\n\n## Two\n',
    ['deck.md:11: "---" right under a line of text makes that line a heading; leave a line empty above it']
  ],
  'code that does not end':
      ['# One\n\n```\ntext\n', ['deck.md:10: this block of code does not end; add a line ``` after it']],
  'a comment that does not end':
      ['# One\n\n<!-- notes:\ntext\n', ['deck.md:10: this comment does not end; add a line "-->" after it']],
  'two comments of notes': [
    '# One\n\n<!-- notes:\na\n-->\n\n<!-- notes:\nb\n-->\n',
    ['deck.md:14: a slide has one comment with notes; join it to the one in line 10']
  ],
  'columns without a border': [
    '<!-- _class: columns -->\n\n# One\n',
    ['deck.md:8: a slide of class columns has no line "+++"; put one between the left and the right']
  ],
  'a border without columns':
      ['# One\n\n+++\n', ['deck.md:10: "+++" outside a slide of class columns; add <!-- _class: columns -->']],
  'a figure beside text':
      ['# One\n\nsee ![a](b.svg)\n', ['deck.md:10: a figure shares its line with text; give it a line of its own']],
};

for (const [what, [body, expected, otherHead]] of Object.entries(malformed))
  test(`told with its line and what to do: ${what}`, () => {
    assert.deepEqual(otherHead === undefined ? sentences(body) : made(otherHead + body).sentences, expected);
  });

test('notes are joined to paragraphs, lists and answers stay', () => {
  const {expanded} =
      made(`${head}# One\n\n<!-- notes:\nOne\nsentence.\n\n- a\n- b\n\nAnswer:\nyes,\n**it** is.\n-->\n`);
  assert.equal(expanded.slides[0].notes, 'One sentence.\n\n- a\n- b\n\nAnswer: yes, it is.');
});

test('sources of several lines stand in one, behind everything else', () => {
  const {expanded} = made(`${head}# One\n\nSource: a book,\nchapter 2\n\ntext\n`);
  assert.match(expanded.markdown, /text[^]*<div class="source">\n\nSource: a book, chapter 2\n/);
});
