// What Chromium finds on slides that are too full, too small or too pale.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {checkLayout} from './layout.mjs';
import {Problems} from './problem.mjs';
import {head, made, treeWith} from './testing/made_deck.mjs';

const figure = (inside) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1100 400" font-family="sans-serif" font-size="24">${
        inside}</svg>`;
const text = (x, more, words) => `<text x="${x}" y="100" ${more}>${words}</text>`;

const figures = {
  'deck/good.svg': figure(
      '<rect x="0" y="60" width="400" height="80" fill="var(--blue-soft,#dbe8f6)"/>' +
      text(10, 'fill="var(--blue,#2f6fb3)"', 'a tile')),
  'deck/small.svg': figure(
      text(10, 'fill="var(--ink,#1f2933)" font-size="14"', 'tiny') +
      text(500, 'fill="var(--ink,#1f2933)" font-size="16"', 'tiny as well')),
  'deck/outside.svg': figure(text(1000, 'fill="var(--ink,#1f2933)"', 'a long name of a tile')),
  'deck/overlapping.svg': figure(
      text(10, 'fill="var(--ink,#1f2933)"', 'a long name') + text(60, 'fill="var(--ink,#1f2933)"', 'another') +
      text(60, 'fill="var(--ink,#1f2933)" transform="rotate(-30 60 100)"', 'slanted')),
  'deck/pale.svg': figure(
      '<rect x="0" y="60" width="400" height="80" fill="var(--soft,#e4e7eb)"/>' +
      text(10, 'fill="var(--paper,#ffffff)"', 'a tile')),
};

const slides = {
  'good': ['text, `code` and $x^2$\n\n![a](good.svg)\n\nSource: a book', []],
  'good in columns': [
    '<!-- _class: columns -->\n\n```cuda\nint i = threadIdx.x;\n```\n\n+++\n\n![a](good.svg)',
    [
      /^in the figure the text "a tile" is 12\.\d px where at least 20 can be read; make it larger or give the figure more room$/
    ]
  ],
  'full': [
    '- item\n'.repeat(16),
    [/^what is on it is \d+ px taller than the slide; take something away or make two slides of it$/]
  ],
  'a full column': [
    '<!-- _class: columns -->\n\nleft\n\n+++\n\n' +
        '- item\n'.repeat(16),
    [/^a column is \d+ px taller than the slide; take something away or make two slides of it$/]
  ],
  'wide code': [
    `\`\`\`cuda\n${'x'.repeat(120)}\n\`\`\``,
    [/^the line of code "x{40}" is 120 characters, \d\d too many; choose other lines, a wider column or the class code$/]
  ],
  'small code': [
    '<pre style="font-size: 17px"><code>int i;</code></pre>',
    [/^the code "int i;" is 17\.0 px where at least 20 can be read$/]
  ],
  'small text': [
    '<p style="font-size: 15px">fine print</p>', [/^the text "fine print" is 15\.0 px where at least 20 can be read$/]
  ],
  'a wide table': [
    `| ${'a long head of a column | '.repeat(6)}\n|${'---|'.repeat(6)}\n| ${'unbreakableunbreakable | '.repeat(6)}`,
    [/^a table is \d+ px too wide: /]
  ],
  'small text in a figure': [
    '![a](small.svg)',
    [
      /^in the figure the text "tiny" is 14\.\d px where at least 20 can be read, and 1 more beside it is too small; make it larger/
    ]
  ],
  'text beyond a figure': [
    '![a](outside.svg)',
    [
      /^in the figure the text "a long name of a tile" goes \d+ px beyond the viewBox; move it or make the viewBox larger$/
    ]
  ],
  'pale text in a figure': [
    '![a](pale.svg)',
    [/^in the figure the text "a tile" has a contrast of 1\.\d to what is behind it; at least 4\.5 can be read$/]
  ],
  'text of the colour of paper in dark': [
    '<p style="color: #1f2933">ink</p>',
    [/, dark: the text "ink" has a contrast of 1\.\d to what is behind it; at least 4\.5 can be read$/]
  ],
  'full of texts that lie on one another':
      ['![a](overlapping.svg)', [/^in the figure the texts "a long name" and "another" lie on one another; move one$/]],
  'no room for a figure':
      ['- item\n'.repeat(9) + '\n![a](good.svg)', [/there is no room left for the figure; take text away/]],
};

let told;  // title -> sentences

test.before(async (t) => {
  const root = treeWith({after: (remove) => test.after(remove)}, figures);
  const names = Object.keys(slides);
  const {deck, expanded, sentences} = made(
      head +
          names.map((name) => `${slides[name][0].replace(/^(<!--.*-->\n\n)?/, `$1## ${name}\n\n`)}\n`)
              .join('\n---\n\n'),
      root);
  assert.deepEqual(sentences, []);
  const problems = new Problems();
  await checkLayout([{deck, expanded}], problems, () => {});
  told = new Map(names.map(
      (name) =>
          [name,
           problems.list.filter(({sentence}) => sentence.includes(` "${name}"`))
               .map(({sentence}) => sentence.replace(/^slide \d+ "[^"]*"(?:: )?/, ''))]));
});

for (const [name, [, expected]] of Object.entries(slides))
  test(`a slide that is ${name}`, () => {
    const sentences = told.get(name);
    for (const pattern of expected)
      assert.ok(sentences.some((each) => pattern.test(each)), `${pattern} in ${JSON.stringify(sentences)}`);
    if (expected.length === 0) assert.deepEqual(sentences, []);
  });
