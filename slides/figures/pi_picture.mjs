// Usage: pi_picture.mjs sizes LOG ... > picture.svg
//        pi_picture.mjs orders LOG ... > picture.svg
// What decks/09_reduction/pi.cu printed on the virtual GPU: for several numbers of rectangles, or in several orders of
// blocks and warps, of which the first is the natural one.
import fs from 'node:fs';

import {commas, Drawing} from './draw.mjs';

const [kind, ...logs] = process.argv.slice(2);

const runs = logs.map((file) => {
  const text = fs.readFileSync(file, 'utf8');
  const after = (label) => {
    const found = new RegExp(`^${label} +([\\d.]+)$`, 'm').exec(text);
    if (!found) throw new Error(`${file} has no line "${label} …"`);
    return found[1];
  };
  return {
    rectangles: Number(after('rectangles')),
    ways: ['one by one', 'by blocks', 'in two passes'].map((way) => [way, after(way)])
  };
});

const mono = {
  'font-family': 'monospace',
  size: 30
};

// The last digits in another colour from the first one that differs from what is right, or from the first run.
function digits(drawing, right, y, shown, reference) {
  let same = 0;
  while (same < shown.length && shown[same] === reference[same]) ++same;
  const wide = 18.1;
  const begin = right - shown.length * wide;
  if (same > 0) drawing.text(begin, y, shown.slice(0, same), mono);
  if (same < shown.length)
    drawing.text(begin + same * wide, y, shown.slice(same), {...mono, fill: 'orange', 'font-weight': 'bold'});
}

const rowHeight = 58;
const sizes = kind === 'sizes';
const columns = sizes ? [[330, 'rectangles'], [720, 'one by one'], [1100, 'by blocks']] :
                        [[260, 'order'], [560, 'one by one'], [830, 'by blocks'], [1110, 'in two passes']];
const drawing = new Drawing(1160, 56 + runs.length * rowHeight);
for (const [right, title] of columns) drawing.text(right, 32, title, {size: 26, anchor: 'end', 'font-weight': 'bold'});
drawing.line(20, 50, 1140, 50, {'stroke-width': 2});
runs.forEach(({rectangles, ways}, row) => {
  const y = 56 + row * rowHeight + 38;
  drawing.text(
      columns[0][0], y,
      sizes         ? commas(rectangles) :
          row === 0 ? 'natural' :
                      `seed ${row}`,
      {size: 28, anchor: 'end'});
  ways.slice(0, columns.length - 1).forEach(([, shown], i) => {
    digits(drawing, columns[i + 1][0], y, shown, sizes ? Math.PI.toFixed(8) : runs[0].ways[i][1]);
  });
  drawing.line(20, y + 16, 1140, y + 16, {stroke: 'soft', 'stroke-width': 1.5});
});
process.stdout.write(drawing.svg('what pi.cu prints on the virtual GPU'));
