// What the warps of one block did over time: warps as rows, time to the right in steps. In each step, every warp that
// can executes one instruction.

const RUN = 0, BARRIER = 1, WARP_SYNC = 2;
const SHADES = [[1, 4], [5, 8], [9, 16], [17, 31], [32, 32]];

function spansOf(warp) {
  const spans = [];
  for (let i = 0; i < warp.spans.length; i += 5) {
    const [begin, end, lanes, line, state] = warp.spans.slice(i, i + 5);
    spans.push({begin, end, lanes, line, state});
  }
  return spans;
}

function shadeOf(span) {
  if (span.state === BARRIER) return 'barrier';
  if (span.state === WARP_SYNC) return 'sync';
  return `shade${Math.max(SHADES.findIndex(([least, most]) => span.lanes >= least && span.lanes <= most), 0)}`;
}

function spanText(warp, span) {
  const when = `warp ${warp.warp}, steps ${commas(span.begin)} to ${commas(span.end)}: `;
  const where = span.line > 0 ? `, from line ${span.line}` : '';
  if (span.state === BARRIER) return `${when}waits at a barrier${where.replace('from', 'at')}`;
  if (span.state === WARP_SYNC) return `${when}threads wait for others of their warp${where.replace('from', 'at')}`;
  return `${when}${span.lanes} of 32 threads active${where}`;
}

function hatches() {
  const stroke = (d, width) => svg('path', {d, class: 'hatch', 'stroke-width': width});
  return svg(
      'defs', {},
      svg('pattern',
          {id: 'hatch-barrier', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'},
          stroke('M0 0V6', 2.4)),
      svg('pattern', {id: 'hatch-sync', width: 5, height: 5, patternUnits: 'userSpaceOnUse'},
          svg('circle', {cx: 2, cy: 2, r: 1.1, class: 'dot'})));
}

function timelineFigure(timeline) {
  const rows = timeline.warps.map((warp) => ({warp, spans: spansOf(warp)})).filter(({spans}) => spans.length > 0);
  if (rows.length === 0) return null;
  const duration = Math.max(...rows.map(({spans}) => spans[spans.length - 1].end), 1);
  const left = 70, width = 1000, step = rows.length > 16 ? 15 : 20, bar = step - 4;
  const columns = width - left;
  const bottom = rows.length * step;
  const x = (time) => left + (time / duration) * columns;
  const picture =
      svg('svg', {
        viewBox: `0 0 ${width} ${bottom + 26}`,
        role: 'group',
        tabindex: '0',
        'aria-label': 'Timeline of a block. Arrow keys move from span to span and from warp to warp.'
      },
          hatches());

  // A row has at most one cell per column, however many spans: the last to begin in a column is shown.
  const paths = {};
  rows.forEach(({warp, spans}, row) => {
    const cells = new Array(columns).fill(null);
    for (const span of spans) {
      const from = Math.min(Math.floor((span.begin / duration) * columns), columns - 1);
      const to = Math.max(from + 1, Math.round((span.end / duration) * columns));
      cells.fill(shadeOf(span), from, Math.min(to, columns));
    }
    for (let from = 0; from < columns;) {
      let to = from + 1;
      while (to < columns && cells[to] === cells[from]) ++to;
      if (cells[from] !== null)
        paths[cells[from]] =
            (paths[cells[from]] || '') + `M${left + from} ${row * step + 2}h${to - from}v${bar}h${from - to}z`;
      from = to;
    }
    picture.append(svg(
        'text', {class: 'tick', x: left - 8, y: row * step + step / 2 + 5, 'text-anchor': 'end'}, `warp ${warp.warp}`));
  });
  for (const [shade, d] of Object.entries(paths)) picture.append(svg('path', {class: `span ${shade}`, d}));
  for (const [share, anchor] of [[0, 'start'], [0.5, 'middle'], [1, 'end']])
    picture.append(
        svg('text', {class: 'tick', x: x(share * duration), y: bottom + 18, 'text-anchor': anchor},
            `${commas(share * duration)}${share === 1 ? ' steps' : ''}`));

  const cursor = svg('rect', {class: 'cursor', height: step, visibility: 'hidden'});
  picture.append(cursor);
  const resting = 'Point at the picture, or use the arrow keys on it, to read what a warp did.';
  const status = el('p', {class: 'status', 'aria-live': 'polite'}, resting);
  let row = 0, at = 0;
  const show = () => {
    const {warp, spans} = rows[row];
    const span = spans[at];
    fill(
        cursor,
        {x: x(span.begin), y: row * step, width: Math.max(x(span.end) - x(span.begin), 2), visibility: 'visible'}, []);
    status.textContent = spanText(warp, span);
  };
  const nearest = (time) => {
    const {spans} = rows[row];
    const found = spans.findIndex((span) => span.end > time);
    return found < 0 ? spans.length - 1 : found;
  };
  picture.addEventListener('keydown', (event) => {
    const moves = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]};
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const time = rows[row].spans[at].begin;
    row = Math.min(Math.max(row + move[0], 0), rows.length - 1);
    at = move[0] !== 0 ? nearest(time) : Math.min(Math.max(at + move[1], 0), rows[row].spans.length - 1);
    show();
  });
  picture.addEventListener('focus', show);
  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    const scale = width / box.width;
    const px = (event.clientX - box.left) * scale;
    const py = (event.clientY - box.top) * scale;
    if (px < left || py < 0 || py >= bottom) return;
    row = Math.min(Math.floor(py / step), rows.length - 1);
    at = nearest(((px - left) / columns) * duration);
    show();
  });

  const key = (shade, words) =>
      el('span', {class: 'key'},
         svg('svg', {viewBox: '0 0 18 12', width: 18, height: 12, 'aria-hidden': 'true'},
             svg('rect', {class: `span ${shade}`, width: 18, height: 12})),
         words);
  const shades = new Set(Object.keys(paths));
  const legend =
      el('p', {class: 'legend'},
         SHADES.map(
             ([least, most], i) => shades.has(`shade${i}`) &&
                 key(`shade${i}`, least === most ? 'all 32 threads active' : `${least} to ${most}`)),
         shades.has('barrier') && key('barrier', 'waits at a barrier'),
         shades.has('sync') && key('sync', 'waits for threads of its warp'));
  return el(
      'figure', {class: 'timeline'}, legend, picture, status,
      el('figcaption', {},
         `Block (${
             timeline.block.join(
                 ', ')}). Time is counted in steps: in each, every warp that does not have to wait executes one instruction. This is not a clock, but shows which warps wait for which.`,
         timeline.truncated && ' Only the beginning is shown.'));
}
