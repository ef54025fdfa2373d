import assert from 'node:assert/strict';
import {test} from 'node:test';

import {lookUp, quantity, withNumbers} from './numbers.mjs';
import {head, made, treeWith} from './testing/made_deck.mjs';

const table = `# Times

| step | idea |
|---|---|
| \`1_naive.cu\` | none |

| step | instructions | H200 |
|---|---:|---:|
| [\`1_naive.cu\`](1_naive.cu) | 2.86 M | 277 ms · 0.50 TFLOP/s |
| [\`2_tile.cu\`](2_tile.cu) | 946,272 | 16.96 ms · 8.11 TFLOP/s |
| [\`3_tile.cu\`](3_tile.cu) | 12 K | – |
`;

const read = (file) => (file === 'a.md' ? table : null);
const value = (triple) => lookUp(triple, read);
const line = (text) => {
  const errors = [];
  return {text: withNumbers(text, read, () => {}, (error) => errors.push(error)), errors};
};

test('a cell is found by its row and its column, in the table that has such a column', () => {
  assert.equal(value('a.md | 2_tile.cu | H200').value, '16.96 ms · 8.11 TFLOP/s');
  assert.equal(value('a.md | 2_tile | H200 | part 2').value, '8.11 TFLOP/s');
});

test('what cannot be found is told with what there is', () => {
  assert.equal(value('b.md | x | y').error, 'there is no file b.md; paths begin at the root of the tree');
  assert.equal(
      value('a.md | 2_tile | A100').error,
      'no table in a.md has the column "A100"; its columns: step | idea | instructions | H200');
  assert.equal(
      value('a.md | tile | H200').error,
      '2 rows of a.md with the column "H200" begin with a cell that contains "tile"; exactly one must');
  assert.equal(
      value('a.md | 4_ | H200').error,
      'no row of a.md with the column "H200" begins with a cell that contains "4_"; exactly one must');
  assert.equal(value('a.md | 1_naive | H200 | part 3').error, '"277 ms · 0.50 TFLOP/s" in a.md has 2 parts, not 3');
  assert.equal(value('a.md | 3_tile | H200').error, 'the cell "3_tile", "H200" of a.md is empty');
  assert.equal(
      value('a.md | 1_naive').error,
      '{{a.md | 1_naive}} is not "file | row | column" or "file | row | column | part N"');
});

test('a number that is broken over two lines is told', () => {
  const {errors} = line('The kernel takes {{a.md | 1_naive |');
  assert.deepEqual(errors, ['a number begins with {{ and does not end in its line; put all of it on one']);
});

test('units and thousands are understood', () => {
  assert.equal(quantity('97.0 µs · latency').amount, 97e-6);
  assert.equal(quantity('946,272').amount, 946272);
  assert.equal(quantity('2.86 M').amount, 2.86e6);
  assert.equal(quantity('46.8 TFLOP/s').unit, 'FLOP/s');
  assert.equal(quantity('–'), null);
});

test('a ratio has two significant digits, across prefixes of a unit', () => {
  assert.equal(line('{{ratio (a.md | 1_naive | H200) / (a.md | 2_tile | H200)}} times').text, '16 times');
  assert.equal(line('{{ratio (a.md | 1_naive | instructions) / (a.md | 2_tile | instructions)}}').text, '3.0');
  assert.equal(line('{{ratio (a.md | 1_naive | instructions) / (a.md | 3_tile | instructions)}}').text, '240');
});

test('a ratio of different things is refused', () => {
  assert.deepEqual(
      line('{{ratio (a.md | 1_naive | H200 | part 1) / (a.md | 1_naive | H200 | part 2)}}').errors,
      ['"277 ms" and "0.50 TFLOP/s" have different units; no ratio of them means anything']);
});

test('a slide with a number names its table as a source, beside those that it has', (t) => {
  const root = treeWith(t, {'a.md': table});
  const {expanded, sentences} = made(`${head}# One\n\n{{a.md | 2_tile | H200 | part 1}}\n\nSource: a book\n`, root);
  assert.deepEqual(sentences, []);
  assert.match(expanded.markdown, /16\.96 ms\n[^]*Source: a book; a\.md\n/);
});

test('a number that fails is told with its line, in notes as well', (t) => {
  const root = treeWith(t, {});
  const {sentences} = made(`${head}# One\n\n<!-- notes:\nIt takes\n{{b.md | x | y}}.\n-->\n`, root);
  assert.deepEqual(sentences, ['deck.md:12: there is no file b.md; paths begin at the root of the tree']);
});
