import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';

import {checkNumbers, inTheFormOf} from './claims.mjs';
import {Problems} from './problem.mjs';
import {treeWith} from './testing/made_deck.mjs';

const table = `# Solutions

<!-- ladder of search -->

| step | lanes | H200, race |
|---|---:|---:|
| [\`1_push.cu\`](1_push.cu) | 31 % | 88.0 ms · 12.6 GB/s |
| [\`2_queue.cu\`](2_queue.cu) | 62 % | 4.00 ms · 277 GB/s |

| lanes | degree 4 |
|---|---:|
| \`1_push.cu\` | 20 |

<!-- end of ladder of search -->
`;

const head = `[column]
time = "solutions/bfs/README.md # search | H200, race | part 1"
lanes = "solutions/bfs/README.md / step | lanes"
degree = "solutions/bfs/README.md # search / lanes | degree 4"
[value]
copy = "solutions/roofs.toml : roofs.0.copy GB/s"
edges = 65536
`;

// A tree with one lab: its handout, the header of a step, and claims about them.
function checked(t, {handout = '', step = '', claims = '', write = false}) {
  const root = treeWith(t, {
    'labs/bfs/README.md': handout,
    'solutions/bfs/README.md': table,
    'solutions/bfs/1_push.cu': `${step}#include "bfs.cuh"\n`,
    'solutions/bfs/claims.toml': head + claims,
    'solutions/roofs.toml': '[[roofs]]\ncopy = 4292.2\n'
  });
  const problems = new Problems();
  const rewritten = checkNumbers(root, [], write, problems);
  return {
    sentences: problems.sentences(),
    rewritten,
    handout: fs.readFileSync(path.join(root, 'labs/bfs/README.md'), 'utf8')
  };
}

const claim = (text, rest, file = 'labs/bfs/README.md') =>
    `[[claim]]\nin = "${file}"\ntext = ${JSON.stringify(text)}\n${rest}\n`;

test('numbers that the tables confirm are no mistakes, over ends of lines and in comments', (t) => {
  const {sentences} = checked(t, {
    handout: 'The queue takes 4.0\nms: 22 times as fast, 31 % of lanes, 20 of 32, at 4.3 TB/s, 4.0 milliseconds.\n',
    step: '// Gain  x 22, and what\n//       is left is 4 ms.\n',
    claims: claim(
                'takes {4.0 ms}: {22} times as fast, {31 %} of lanes, {20} of 32, at {4.3 TB/s}, {4.0 milliseconds}',
                'from = ["time(2)", "time(1) / time(2)", "lanes(1)", "degree(1)", "copy", "time(2)"]') +
        claim('x {22}, and what is left is {4 ms}', 'from = ["time(1) / time(2)", "time(2)"]',
              'solutions/bfs/1_push.cu')
  });
  assert.deepEqual(sentences, []);
});

test('a stale number is named with today\'s', (t) => {
  const {sentences} = checked(t, {handout: '\nIt takes 5 ms.\n', claims: claim('takes {5 ms}', 'from = ["time(2)"]')});
  assert.deepEqual(
      sentences, ['labs/bfs/README.md:2: 5 is 4 today (time(2)); \'press.mjs numbers --write\' writes it']);
});

test('a stale number is rewritten in its own form, and nothing else', (t) => {
  const {sentences, rewritten, handout} = checked(t, {
    handout: 'It takes 5.00\nms, not 90 ms.\n',
    claims: claim('takes {5.00 ms}, not {90 ms}', 'from = ["time(2)", "time(1)"]'),
    write: true
  });
  assert.deepEqual(
      {sentences, rewritten, handout}, {sentences: [], rewritten: 1, handout: 'It takes 4.00\nms, not 90 ms.\n'});
});

test('a comparison that no longer holds is a mistake, whatever the numbers', (t) => {
  const claims = claim('pays off', 'holds = ["time(2) < time(1)", "time(1) < time(2) < 1"]');
  assert.deepEqual(
      checked(t, {handout: 'The queue pays off.\n', claims}).sentences,
      ['labs/bfs/README.md:1: "pays off" no longer holds: time(1) < time(2) < 1 is false']);
});

test('a phrase must be there exactly once', (t) => {
  const {sentences} =
      checked(t, {handout: 'So it is, and so it is.\n', claims: claim('o it is', '') + claim('never', '')});
  assert.deepEqual(sentences, [
    'labs/bfs/README.md: "o it is" is there 2 times; once is expected',
    'labs/bfs/README.md: "never" is there 0 times; once is expected'
  ]);
});

test('a measured number that nobody claims is a mistake, but not in a generated table or in code', (t) => {
  const {sentences} = checked(t, {
    handout: 'It takes 88 ms.\n\n```\n4 ms\n```\n\nAt 12 and 13 GB/s, twice.\n',
    step: '// Gain  x 22.\n\n// 4 ms\n',
    claims: claim('At 12 and 13 GB/s', 'because = "the bus: its specification"')
  });
  assert.deepEqual(sentences, [
    'labs/bfs/README.md:1: no claim in solutions/bfs/claims.toml says where "88 ms" comes from',
    'solutions/bfs/1_push.cu:1: no claim in solutions/bfs/claims.toml says where "x 22" comes from'
  ]);
});

test('what a claim refers to must be there', (t) => {
  const {sentences} = checked(t, {
    handout: 'one 1, two 2, three 3, four 4\n',
    claims: claim('one {1}', 'from = ["time(9)"]') + claim('two {2}', 'from = ["speed(1)"]') +
        claim('three {3}', 'from = ["time"]') + claim('four {4}', 'from = ["2 * "]')
  });
  assert.deepEqual(sentences, [
    'solutions/bfs/claims.toml: no rows of "solutions/bfs/README.md # search | H200, race | part 1" are 9; exactly one must be (of "one {1}")',
    'solutions/bfs/claims.toml: "speed(1)": nothing is called speed (of "two {2}")',
    'solutions/bfs/claims.toml: "time": time is a column: name a row (of "three {3}")',
    'solutions/bfs/claims.toml: "2 * ": something is missing at the end (of "four {4}")'
  ]);
});

test('every number in braces has a source', (t) => {
  const {sentences} = checked(t, {handout: 'one 1\n', claims: claim('one {1}', '')});
  assert.deepEqual(
      sentences, ['labs/bfs/README.md:1: "one {1}" has 1 numbers in braces, and \'from\' says where 0 are from']);
});

test('a number keeps its precision: decimals, thousands, zeros', () => {
  assert.equal(inTheFormOf('3.0', 2.96), '3.0');
  assert.equal(inTheFormOf('28', 28.4), '28');
  assert.equal(inTheFormOf('2,190', 2188), '2,190');
  assert.equal(inTheFormOf('400', 449), '400');
  assert.equal(inTheFormOf('0.50', 0.503), '0.50');
  assert.equal(inTheFormOf('1,234', 1233.6), '1,234');
  assert.equal(inTheFormOf('0', 0.4), '0');
});
