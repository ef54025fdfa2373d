// Usage: ladder_picture.mjs (sum | histogram_bytes) > picture.svg
// The ladder of a task in solutions/: times of the race on a GPU, on a logarithmic axis, and the time in which the
// input can be read at the rate in solutions/roofs.toml.
import fs from 'node:fs';
import path from 'node:path';

import {lookUp, quantity} from '../press/numbers.mjs';
import {root} from '../press/tree.mjs';

import {Drawing} from './draw.mjs';

const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');

const ladders = {
  sum: {
    readme: 'solutions/reduction/README.md',
    column: 'H200, race',
    bytes: 4 * 2 ** 28,
    input: 'reading the array',
    steps: [
      ['1_atomic_per_element.cu', 'an atomic addition per element'], ['2_interleaved_tree.cu', 'interleaved tree'],
      ['3_sequential_addressing.cu', 'sequential tree'], ['4_warp_shuffles.cu', 'shuffles'],
      ['5_many_elements.cu', 'many elements per thread'], ['6_vector_loads.cu', '16-byte loads, four in flight'],
      ['7_last_block.cu', 'sums of blocks in a fixed order']
    ]
  },
  histogram_bytes: {
    readme: 'solutions/histogram/README.md',
    column: 'H200, race, uniform',
    bytes: 2 ** 30,
    input: 'reading the bytes',
    steps: [
      ['1_global_atomics.cu', 'an atomic addition per byte'], ['2_private_copies.cu', 'copies in global memory'],
      ['3_shared_bins.cu', 'a copy in each block'], ['4_coarsened.cu', 'few blocks, 16-byte loads'],
      ['5_runs.cu', 'runs added at once'], ['6_copy_a_lane.cu', 'a copy for each lane']
    ]
  }
};
const ladder = ladders[process.argv[2]];
if (!ladder) throw new Error('usage: ladder_picture.mjs (sum | histogram_bytes)');
const steps = ladder.steps.map(([step, label], i) => {
  const {value, error} = lookUp(`${ladder.readme} | ${step} | ${ladder.column} | part 1`, read);
  if (error) throw new Error(error);
  return {label: `${i + 1}  ${label}`, value, seconds: quantity(value).amount};
});

const [, gigabytes] = /^gpu = "NVIDIA H200"\n[^[]*?^read = ([\d.]+)$/m.exec(read('solutions/roofs.toml'));
const floor = ladder.bytes / (gigabytes * 1e9);

const left = 470;
const width = 560;
const rowHeight = 58;
const [least, most] = [1e-4, 1];
const x = (seconds) => left + Math.log10(seconds / least) / Math.log10(most / least) * width;

const bottom = steps.length * rowHeight + 8;
const drawing = new Drawing(1160, bottom + 72);
for (const [seconds, label] of [[1e-4, '0.1 ms'], [1e-3, '1 ms'], [1e-2, '10 ms'], [1e-1, '100 ms'], [1, '1 s']]) {
  drawing.line(x(seconds), 0, x(seconds), bottom, {stroke: 'soft', 'stroke-width': 2});
  drawing.text(x(seconds), bottom + 30, label, {size: 22, anchor: 'middle'});
}
steps.forEach(({label, value, seconds}, row) => {
  const y = row * rowHeight + 8;
  drawing.text(left - 16, y + 30, label, {size: 25, anchor: 'end'});
  drawing.rect(left, y, x(seconds) - left, rowHeight - 16, {fill: row >= 5 ? 'green' : 'blue'});
  drawing.text(x(seconds) + 12, y + 30, value, {size: 25, 'font-weight': 'bold'});
});
drawing.line(x(floor), 0, x(floor), bottom + 40, {stroke: 'red', 'stroke-width': 3});
drawing.text(x(floor), bottom + 64, ladder.input, {size: 24, anchor: 'middle', fill: 'red', 'font-weight': 'bold'});
process.stdout.write(drawing.svg(`${ladder.readme} and solutions/roofs.toml`));
