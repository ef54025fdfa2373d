// Usage: access_picture.mjs REPORT.json TEXT "what the lanes do" > picture.svg
// One load of one warp as the virtual GPU saw it: its lanes, and the sectors of 32 bytes that it moves. The load is the
// one whose line of source contains TEXT.
import fs from 'node:fs';
import path from 'node:path';

import {commas, Drawing} from './draw.mjs';

const [reportFile, wanted, title] = process.argv.slice(2);
const report = JSON.parse(fs.readFileSync(reportFile, 'utf8'));

const lineOf = ({file, line}) => fs.readFileSync(file, 'utf8').split('\n')[line - 1];
const loads = report.kernels[0].patterns.filter(
    (pattern) => pattern.space === 'global' && pattern.kind === 'load' && lineOf(pattern).includes(wanted));
if (loads.length !== 1) throw new Error(`${loads.length} loads of ${reportFile} come from a line with "${wanted}"`);
const [load] = loads;

// Each sector with the bytes of it that were asked for and the lanes that did.
function sectorsOf({addresses, bytes}) {
  const sectors = new Map();
  addresses.forEach((address, lane) => {
    if (address === null) return;
    for (let byte = address; byte < address + bytes; ++byte) {
      const number = Math.floor(byte / 32);
      if (!sectors.has(number)) sectors.set(number, {number, used: new Set(), lanes: new Set()});
      sectors.get(number).used.add(byte % 32);
      sectors.get(number).lanes.add(lane);
    }
  });
  return [...sectors.values()].sort((a, b) => a.number - b.number);
}

const sectors = sectorsOf(load);
if (sectors.length !== load.sectors)
  throw new Error(`the run counted ${load.sectors} sectors, its addresses lie in ${sectors.length}`);

function distance() {
  if (sectors.length === 1) return '';
  const steps = new Set(sectors.slice(1).map(({number}, i) => 32 * (number - sectors[i].number)));
  if (steps.size !== 1) return ', apart from one another';
  const [step] = steps;
  return step === 32 ? ', side by side' : `, each ${commas(step)} bytes after the previous one`;
}

const rowHeight = 76;
const rows = Math.ceil(sectors.length / 8);
const top = 146;
const bottom = top + rows * rowHeight;
const drawing = new Drawing(1160, bottom + 84);

drawing.text(4, 28, title);
for (let lane = 0; lane < 32; ++lane) {
  drawing.rect(4 + lane * 36, 44, 32, 34, {fill: 'blue-soft', stroke: 'blue', rx: 4});
  drawing.text(20 + lane * 36, 68, lane, {size: 21, anchor: 'middle', 'font-weight': 'bold'});
}
const plural = (count, word) => `${commas(count)} ${word}${count === 1 ? '' : 's'}`;
drawing.text(4, 126, `In memory: ${plural(sectors.length, 'sector')} of 32 bytes${distance()}`);

const cell = 4 * load.bytes;
sectors.forEach(({used, lanes}, i) => {
  const x = 4 + (i % 8) * 145.7;
  const y = top + Math.floor(i / 8) * rowHeight;
  const [first, last] = [Math.min(...lanes), Math.max(...lanes)];
  drawing.text(
      x + 64, y + 20, first === last ? `lane ${first}` : `lanes ${first}–${last}`, {size: 21, anchor: 'middle'});
  drawing.rect(x, y + 28, 128, 32, {fill: 'orange-soft'});
  for (let begin = 0; begin < 32; begin += load.bytes)
    if (used.has(begin)) drawing.rect(x + 4 * begin, y + 28, cell, 32, {fill: 'blue'});
  for (let begin = load.bytes; begin < 32 && cell > 8; begin += load.bytes)
    drawing.line(x + 4 * begin, y + 28, x + 4 * begin, y + 60, {stroke: 'paper', 'stroke-width': 2});
  drawing.rect(x, y + 28, 128, 32, {stroke: 'ink', 'stroke-width': 2});
});

const asked = sectors.reduce((sum, {used}) => sum + used.size, 0);
const moved = 32 * sectors.length;
drawing.text(
    4, bottom + 26, `${commas(moved)} bytes moved for ${commas(asked)} asked for`, {size: 28, 'font-weight': 'bold'});
drawing.rect(4, bottom + 50, 24, 24, {fill: 'blue', stroke: 'ink', 'stroke-width': 2});
drawing.text(38, bottom + 70, 'asked for');
if (moved > asked) {
  drawing.rect(184, bottom + 50, 24, 24, {fill: 'orange-soft', stroke: 'ink', 'stroke-width': 2});
  drawing.text(218, bottom + 70, 'not asked for');
}
process.stdout.write(
    drawing.svg(`a load of ${path.basename(load.file)} on the virtual GPU, ${plural(load.sectors, 'sector')}`));
