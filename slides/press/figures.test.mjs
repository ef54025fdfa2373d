import assert from 'node:assert/strict';
import {test} from 'node:test';

import {inlineSvg} from './figures.mjs';
import {head, made, treeWith} from './testing/made_deck.mjs';

const svg = (inside, attributes = 'viewBox="0 0 10 10"') =>
    `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`;

test('a figure is labelled by its alternative text and has no fixed size', () => {
  const text = inlineSvg(
      svg('<title>x</title>', 'viewBox="0 0 10 10" width="10" height="10" aria-labelledby="title"'), 'A "tile"', 'f',
      true);
  assert.equal(
      text,
      '<svg id="f" role="img" aria-label="A &quot;tile&quot;" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"></svg>');
});

test('ids of two figures do not meet', () => {
  const text = inlineSvg(svg('<marker id="tip"/><path marker-end="url(#tip)"/><use href="#tip"/>'), 'a', 'f', true);
  assert.match(text, /<marker id="f-tip"\/><path marker-end="url\(#f-tip\)"\/><use href="#f-tip"\/>/);
});

test('rules of a figure reach only itself, and its dark ones obey the slide', () => {
  const style = '<style>text { fill: red } @media (prefers-color-scheme: dark) { text { fill: blue } }</style>';
  const text = inlineSvg(svg(style), 'a', 'f', false);
  assert.match(
      text, /<style>#f\{text \{ fill: red \} \}:where\(section\.invert\) #f\{ text \{ fill: blue \} \}<\/style>/);
});

test('colours of figures made elsewhere become the theme’s', () => {
  assert.match(
      inlineSvg(svg('<rect fill="#FFFFFF" stroke="#1f2933"/>'), 'a', 'f', false),
      /fill="var\(--paper,#ffffff\)" stroke="var\(--ink,#1f2933\)"/);
});

test('a deck tells what is wrong with a figure', (t) => {
  const root = treeWith(t, {
    'deck/good.svg': svg('<rect fill="var(--ink,#1f2933)"/>'),
    'deck/fixed.svg': svg('<rect fill="#1f2933"/>'),
    'deck/unscaled.svg': svg('', ''),
    'deck/animation.gif': '',
    'labs/x/figures/fixed.svg': svg('<rect fill="#1f2933"/>')
  });
  const told = (line) => made(`${head}# One\n\n${line}\n`, root).sentences;
  assert.deepEqual(told('![s[31] is empty](good.svg)'), []);
  assert.deepEqual(told('![a](/labs/x/figures/fixed.svg)'), []);
  assert.deepEqual(
      told('![](good.svg)'), ['deck.md:10: the figure good.svg has no alternative text; say in [ ] what it shows']);
  assert.deepEqual(told('![a](none.svg)'), [
    'deck.md:10: there is no figure none.svg; figures lie beside the deck, or begin with / at the root of the tree'
  ]);
  assert.deepEqual(told('![a](fixed.svg)'), [
    'deck.md:10: fixed.svg has the fixed colour #1f2933, which does not follow dark; use the theme\'s, such as var(--blue,#2f6fb3)'
  ]);
  assert.deepEqual(
      told('![a](unscaled.svg)'),
      ['deck.md:10: unscaled.svg has no viewBox, so it cannot be scaled; add viewBox="0 0 width height"']);
  assert.deepEqual(
      told('![a](animation.gif)'),
      ['deck.md:10: animation.gif is neither SVG nor PNG nor JPEG; slides show no other kind']);
});
