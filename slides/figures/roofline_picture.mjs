// Usage: roofline_picture.mjs > picture.svg
// The steps of matmul under the roofs that were measured on the same GPU: flops a byte from the sectors that the
// virtual GPU counts (the table in solutions/matmul/README.md), speed from solutions/matmul/measured.toml.
import fs from 'node:fs';
import path from 'node:path';

import {quantity, tablesOf} from '../press/numbers.mjs';
import {root} from '../press/tree.mjs';

import {Drawing} from './draw.mjs';

const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');

// The values of the tables [[name]] of a TOML file that has no others of interest: [{key: value, …}, …].
function records(toml, name) {
  return toml.split(/^(?=\[)/m).filter((part) => part.startsWith(`[[${name}]]`)).map((part) => {
    const pairs = [...part.matchAll(/^(\w+) = (.*)$/gm)];
    return Object.fromEntries(
        pairs.map(([, key, value]) => [key, value.startsWith('"') ? value.slice(1, -1) : Number(value)]));
  });
}

const [roof] = records(read('solutions/roofs.toml'), 'roofs');
const memory = roof.copy / 1000;  // TB/s
const arithmetic = roof.ffma;     // TFLOP/s

const measuredCase = '4096 x 4096 x 4096';
const measured = records(read('solutions/matmul/measured.toml'), 'task.time')
                     .filter((time) => time.case === measuredCase && time.size === undefined);

const ladder =
    tablesOf(read('solutions/matmul/README.md')).find(({columns}) => columns.includes('requests, global loads'));
const column = (cells, name) => quantity(cells[ladder.columns.indexOf(name)])?.amount;

const steps = ladder.rows.flatMap((cells) => {
  const sectors = column(cells, 'sectors per request, global loads') * column(cells, 'requests, global loads');
  const time = measured.find(({step}) => step === cells[0]);
  if (!(sectors > 0) || !time) return [];
  // Step 9 takes smaller tiles for the case of the counts than for the one that was timed.
  if (cells[0].startsWith('9_')) return [];
  const [number, ...words] = cells[0].replace('.cu', '').split('_');
  // The counters' case is 256 x 256 x 256.
  return [{number, name: words.join(' '), x: (2 * 256 ** 3) / (32 * sectors), y: time.flops / time.milliseconds / 1e9}];
});

const [left, right, top, bottom] = [110, 1120, 40, 440];
const [leastX, mostX, leastY, mostY] = [1 / 32, 512, 0.1, 100];
const x = (value) => left + (Math.log2(value / leastX) / Math.log2(mostX / leastX)) * (right - left);
const y = (value) => bottom - (Math.log10(value / leastY) / Math.log10(mostY / leastY)) * (bottom - top);

const drawing = new Drawing(1160, 520);
for (let value = leastX; value <= mostX; value *= 2) {
  drawing.line(x(value), top, x(value), bottom, {stroke: 'soft', 'stroke-width': 2});
  drawing.text(x(value), bottom + 32, value < 1 ? `1/${1 / value}` : value, {size: 22, anchor: 'middle'});
}
for (const value of [0.1, 1, 10, 100]) {
  drawing.line(left, y(value), right, y(value), {stroke: 'soft', 'stroke-width': 2});
  drawing.text(left - 12, y(value) + 8, value, {size: 22, anchor: 'end'});
}
drawing.text(
    (left + right) / 2, 508, 'flops for each byte that a kernel’s loads ask of global memory', {anchor: 'middle'});
drawing.text(30, (top + bottom) / 2, 'TFLOP/s', {anchor: 'middle', transform: `rotate(-90 30 ${(top + bottom) / 2})`});

const ridge = arithmetic / memory;
drawing.line(x(leastX), y(leastX * memory), x(ridge), y(arithmetic), {'stroke-width': 5, 'stroke-linecap': 'round'});
drawing.line(x(ridge), y(arithmetic), right, y(arithmetic), {'stroke-width': 5, 'stroke-linecap': 'round'});
const slope = (Math.atan2(y(ridge * memory) - y(leastX * memory), x(ridge) - x(leastX)) * 180) / Math.PI;
const middle = [x(1 / 4), y(memory / 4) + 34];
drawing.text(...middle, `memory: ${memory.toFixed(1)} TB/s`, {
  anchor: 'middle',
  'font-weight': 'bold',
  transform: `rotate(${slope.toFixed(1)} ${middle[0].toFixed(1)} ${middle[1].toFixed(1)})`
});
drawing.text(
    x(ridge) - 24, y(arithmetic) - 2, `arithmetic: ${arithmetic.toFixed(0)} TFLOP/s`,
    {anchor: 'end', 'font-weight': 'bold'});

// Names stand above points above the roof and below points under it; where points lie close together they stand in a
// list to the right.
const crowd = steps.filter((step) => steps.some((other) => other !== step && Math.abs(x(other.x) - x(step.x)) < 100));
const listX = Math.max(...crowd.map((step) => x(step.x))) + 44;
let listY = Math.min(...crowd.map((step) => y(step.y))) - 10;
for (const step of [...steps].sort((a, b) => b.y - a.y)) {
  const name = `${step.number} ${step.name}: ${step.y.toPrecision(step.y < 1 ? 2 : 3)}`;
  const [px, py] = [x(step.x), y(step.y)];
  if (crowd.includes(step)) {
    listY += 32;
    drawing.line(px, py, listX - 6, listY - 8, {stroke: 'orange', 'stroke-width': 2});
    drawing.text(listX, listY, name, {size: 22});
  } else {
    const above = step.y > step.x * memory;
    drawing.text(px, above ? py - 20 : py + 36, name, {size: 22, anchor: 'middle'});
  }
  drawing.circle(px, py, 9, {fill: 'orange', stroke: 'paper', 'stroke-width': 2});
}
process.stdout.write(
    drawing.svg(`${measuredCase} on ${roof.gpu}, ${roof.date}; sectors counted by the virtual GPU at 256 x 256 x 256`));
