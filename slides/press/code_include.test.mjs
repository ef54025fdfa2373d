import assert from 'node:assert/strict';
import {test} from 'node:test';

import {includeOptions, selectCode} from './code_include.mjs';
import {head, made, treeWith} from './testing/made_deck.mjs';

const code = `#include <cstdio>
// scale( { is named in a comment
namespace {
const char* brace = "scale() {";
void scale(float* x);

// Multiplies.
template <int kBlock>
__global__ void __launch_bounds__(kBlock)
    scale(float* x, int n) {
  // the position
  const int i = blockIdx.x * kBlock + threadIdx.x;

  if (i < n) {  // the last block
    x[i] *= 2;
  }
}

float half(float x) { return x / 2; }
float half(int x) { return x / 2.0f; }
}  // namespace

void call(float* x) {
  scale<32><<<1, 32>>>(x, 32);
  if (half(1.0f) > 0) { call(x); }
}
`;

const select = (options) => selectCode(code, options, 'a.cu');

test('a function is taken from its template line to its closing brace', () => {
  const {lines} = select({function: 'scale'});
  assert.equal(lines[0], 'template <int kBlock>');
  assert.equal(lines.at(-1), '}');
  assert.equal(lines.length, 10);
});

test('calls, declarations, comments and strings are no definitions', () => {
  assert.deepEqual(select({function: 'call'}).lines.length, 4);
  assert.equal(
      select({function: 'missing'}).error,
      'a.cu has no definition of missing; name a function that is defined there exactly once');
});

test('a function that is defined twice is not chosen by chance', () => {
  assert.equal(
      select({function: 'half'}).error,
      'a.cu has 2 definitions of half; name a function that is defined there exactly once');
});

test('comments of whole lines are left out, others stay', () => {
  const {lines} = select({function: 'scale', 'without-comments': true});
  assert.ok(!lines.some((line) => line.includes('the position')));
  assert.ok(lines.some((line) => line.includes('// the last block')));
});

test('lines from one text to another lose their common indentation', () => {
  assert.deepEqual(
      select({function: 'scale', from: 'if (i', to: '}'}).lines,
      ['if (i < n) {  // the last block', '  x[i] *= 2;', '}']);
});

test('a directive at the margin keeps no indentation', () => {
  const loop = '    int sum = 0;\n#pragma unroll\n    for (;;)\n      ++sum;\n';
  assert.deepEqual(
      selectCode(loop, {from: 'sum = 0', to: '++'}, 'a.cu').lines,
      ['int sum = 0;', '#pragma unroll', 'for (;;)', '  ++sum;']);
});

test('the lines of a macro stay indented below its #define', () => {
  const macro = '#define TWICE(x) \\\n  do {           \\\n    x;           \\\n  } while (false)\n';
  assert.deepEqual(selectCode(macro, {}, 'macro.h').lines, macro.trimEnd().split('\n'));
});

test('without an end it is one line', () => {
  assert.deepEqual(select({from: 'const int i'}).lines, ['const int i = blockIdx.x * kBlock + threadIdx.x;']);
});

test('a text that is not there, or twice, is told', () => {
  assert.equal(
      select({function: 'scale', from: 'y['}).error,
      'the text from="y[" stands in no line of scale in a.cu; choose a text of exactly one line');
  assert.equal(
      select({from: 'half('}).error,
      'the text from="half(" stands in 3 lines of a.cu; choose a text of exactly one line');
  assert.equal(
      select({function: 'scale', from: 'if (i', to: 'return'}).error,
      'the text to="return" does not come after from="if (i" in scale in a.cu');
});

test('options may hold quoted quotes', () => {
  assert.deepEqual(
      includeOptions('cuda include="a.cu" from="say(\\"x\\")" without-comments'),
      {language: 'cuda', include: 'a.cu', from: 'say("x")', 'without-comments': true});
  assert.equal(includeOptions('cuda'), null);
});

test('a deck shows the code with its path, and tells what cannot be shown', (t) => {
  const root = treeWith(t, {'solutions/a.cu': code});
  const fence = (info, body = '') => made(`${head}# One\n\n\`\`\`cuda ${info}\n${body}\`\`\`\n`, root);
  const good = fence('include="solutions/a.cu" from="const int i"');
  assert.deepEqual(good.sentences, []);
  assert.match(good.expanded.markdown, /````cuda\nconst int i [^]*<p class="path">solutions\/a.cu<\/p>/);
  assert.deepEqual(
      fence('include="a.cu"').sentences,
      ['deck.md:10: there is no file a.cu to include; paths begin at the root of the tree']);
  assert.deepEqual(
      fence('include="solutions/a.cu" lines="3"').sentences,
      ['deck.md:10: an include has no option "lines"; there are function, from, to and without-comments']);
  assert.deepEqual(
      fence('include="solutions/a.cu" from="const int i"', 'pasted();\n').sentences,
      ['deck.md:10: a block that includes code has code of its own as well; leave its body empty']);
});
