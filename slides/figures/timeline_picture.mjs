// Usage: timeline_picture.mjs REPORT.json KERNEL "TITLE" ... > picture.svg
// What the warps of the first block of each kernel did, as the virtual GPU saw it: a row for each warp, and one step to
// the right for each instruction.
import fs from 'node:fs';

import {Drawing} from './draw.mjs';

const [reportFile, ...wanted] = process.argv.slice(2);
const report = JSON.parse(fs.readFileSync(reportFile, 'utf8'));

const left = 150;
const width = 1000;
const rowHeight = 10;
const panelGap = 20;
const legendHeight = 48;

const panels = [];
for (let i = 0; i < wanted.length; i += 2) {
  const kernels = report.kernels.filter(({name}) => name.startsWith(`${wanted[i]}(`));
  if (kernels.length !== 1) throw new Error(`${kernels.length} kernels of ${reportFile} are called ${wanted[i]}`);
  const {warps, truncated} = kernels[0].timeline;
  if (truncated) throw new Error(`the timeline of ${wanted[i]} in ${reportFile} is not whole`);
  const end = Math.max(...warps.flatMap(({spans}) => spans.map(([, to]) => to)));
  panels.push({title: wanted[i + 1], warps, end});
}
const longest = Math.max(...panels.map(({end}) => end));
const x = (instruction) => left + instruction / longest * width;

const heightOf = ({warps}) => 36 + warps.length * rowHeight;
const drawing =
    new Drawing(1160, panels.reduce((sum, panel) => sum + heightOf(panel) + panelGap, legendHeight - panelGap));

const fillOf = (lanes, state) => (state === 'barrier' ? 'soft' : lanes === 32 ? 'blue' : 'orange');

let top = 0;
for (const panel of panels) {
  drawing.text(left, top + 24, panel.title, {size: 24, 'font-weight': 'bold'});
  panel.warps.forEach(({warp, spans}, row) => {
    const y = top + 36 + row * rowHeight;
    if (row === 0 || row === panel.warps.length - 1)
      drawing.text(left - 12, y + 10 - (row === 0 ? 0 : 1), `warp ${warp}`, {size: 21, anchor: 'end'});
    for (const [from, to, lanes, , state] of spans)
      drawing.rect(x(from), y, x(to) - x(from), rowHeight - 2, {fill: fillOf(lanes, state)});
  });
  top += heightOf(panel) + panelGap;
}
const legend = [['blue', 'all 32 lanes run'], ['orange', 'fewer lanes run'], ['soft', 'waits at a barrier']];
legend.forEach(([fill, text], i) => {
  const at = left + i * 290;
  drawing.rect(at, top - panelGap + 18, 24, 24, {fill, stroke: 'ink', 'stroke-width': 1.5});
  drawing.text(at + 36, top - panelGap + 38, text, {size: 22});
});
process.stdout.write(drawing.svg('the timeline of the first block on the virtual GPU'));
