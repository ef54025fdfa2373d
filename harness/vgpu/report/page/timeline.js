// What went on over time: rows of spans, time to the right. One figure for the warps of a block, one for the host and
// the streams of the whole run.

// At most this many units across: about one a pixel, so that text has its size on a telephone, too.
const narrow = matchMedia('(max-width: 44rem)');

function hatches() {
  const hatch = (id, size, turn, ...children) => svg(
      'pattern', {id, width: size, height: size, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${turn})`},
      ...children);
  const stroke = (className) => svg('path', {d: 'M0 0V6', class: className, 'stroke-width': 2.4});
  return svg(
      'defs', {}, hatch('hatch-barrier', 6, 45, stroke('hatch')),
      hatch('hatch-sync', 5, 0, svg('circle', {cx: 2, cy: 2, r: 1.1, class: 'dot'})),
      hatch('hatch-in', 6, 45, stroke('hatch copy')), hatch('hatch-out', 6, -45, stroke('hatch copy')),
      hatch('hatch-within', 6, 0, stroke('hatch copy')),
      hatch('hatch-fill', 5, 0, svg('circle', {cx: 2, cy: 2, r: 1.1, class: 'dot copy'})));
}

// `rows`: [{name, spans: [{begin, end, shade, text}]}], each row's spans in order. `shades`: [[shade, words]] of the
// legend. `tick`: a time in words. `about`: what a row and the figure are called.
function rowsFigure({rows, shades, tick, label, resting, caption}) {
  const duration = Math.max(...rows.map(({spans}) => spans[spans.length - 1].end), 1);
  const width = narrow.matches ? 360 : 1000;
  const left = 12 + 6.2 * Math.max(...rows.map(({name}) => name.length));
  const step = rows.length > 16 ? 15 : 20, bar = step - 4;
  const columns = Math.floor(width - left);
  const bottom = rows.length * step;
  const x = (time) => left + (time / duration) * columns;
  const picture = svg(
      'svg', {viewBox: `0 0 ${width} ${bottom + 26}`, role: 'group', tabindex: '0', 'aria-label': label}, hatches());

  // A row has at most one cell per column, however many spans: the last to begin in a column is shown.
  const paths = {};
  rows.forEach(({name, spans}, row) => {
    const cells = new Array(columns).fill(null);
    for (const span of spans) {
      const from = Math.min(Math.floor((span.begin / duration) * columns), columns - 1);
      const to = Math.max(from + 1, Math.round((span.end / duration) * columns));
      cells.fill(span.shade, from, Math.min(to, columns));
    }
    for (let from = 0; from < columns;) {
      let to = from + 1;
      while (to < columns && cells[to] === cells[from]) ++to;
      if (cells[from] !== null)
        paths[cells[from]] =
            (paths[cells[from]] || '') + `M${left + from} ${row * step + 2}h${to - from}v${bar}h${from - to}z`;
      from = to;
    }
    picture.append(svg('text', {class: 'tick', x: left - 8, y: row * step + step / 2 + 5, 'text-anchor': 'end'}, name));
  });
  for (const [shade, d] of Object.entries(paths)) picture.append(svg('path', {class: `span ${shade}`, d}));
  for (const [share, anchor] of [[0, 'start'], [0.5, 'middle'], [1, 'end']])
    picture.append(
        svg('text', {class: 'tick', x: x(share * duration), y: bottom + 18, 'text-anchor': anchor},
            tick(share * duration, share === 1)));

  const cursor = svg('rect', {class: 'cursor', height: step, visibility: 'hidden'});
  picture.append(cursor);
  const status = el('p', {class: 'status', 'aria-live': 'polite'}, resting);
  let row = 0, at = 0;
  const show = () => {
    const span = rows[row].spans[at];
    fill(
        cursor,
        {x: x(span.begin), y: row * step, width: Math.max(x(span.end) - x(span.begin), 2), visibility: 'visible'}, []);
    status.textContent = span.text;
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

  const key = ([shade, words]) =>
      el('span', {class: 'key'},
         svg('svg', {viewBox: '0 0 18 12', width: 18, height: 12, 'aria-hidden': 'true'},
             svg('rect', {class: `span ${shade}`, width: 18, height: 12})),
         words);
  return el(
      'figure', {class: 'timeline'}, el('p', {class: 'legend'}, shades.filter(([shade]) => paths[shade]).map(key)),
      picture, status, el('figcaption', {}, caption));
}

// --- the warps of one block: in each step, every warp that can executes one instruction ---

const RUN = 0, BARRIER = 1, WARP_SYNC = 2;
const SHADES = [[1, 4], [5, 8], [9, 16], [17, 31], [32, 32]];

function spansOf(warp) {
  const spans = [];
  for (let i = 0; i < warp.spans.length; i += 5) {
    const [begin, end, lanes, line, state] = warp.spans.slice(i, i + 5);
    const span = {begin, end, lanes, line, state};
    spans.push({begin, end, shade: shadeOf(span), text: spanText(warp, span)});
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
  const where = span.line > 0 ? `, from line ${commas(span.line)}` : '';
  if (span.state === BARRIER) return `${when}waits at a barrier${where.replace('from', 'at')}`;
  if (span.state === WARP_SYNC) return `${when}threads wait for others of their warp${where.replace('from', 'at')}`;
  return `${when}${span.lanes} of 32 threads active${where}`;
}

function timelineFigure(timeline) {
  const rows = timeline.warps.map((warp) => ({name: `warp ${warp.warp}`, spans: spansOf(warp)}))
                   .filter(({spans}) => spans.length > 0);
  if (rows.length === 0) return null;
  return rowsFigure({
    rows,
    shades: [
      ...SHADES.map(
          ([least, most], i) => [`shade${i}`, least === most ? 'all 32 threads active' : `${least} to ${most}`]),
      ['barrier', 'waits at a barrier'], ['sync', 'waits for threads of its warp']
    ],
    tick: (time, isLast) => `${commas(time)}${isLast ? ' steps' : ''}`,
    label: 'Timeline of a block. Arrow keys move from span to span and from warp to warp.',
    resting: 'Point at the picture, or use the arrow keys on it, to read what a warp did.',
    caption: `Block (${
        timeline.block.join(
            ', ')}). Time is counted in steps: in each, every warp that does not have to wait executes one instruction. This is not a clock, but shows which warps wait for which.${
        timeline.truncated ? ' Only the beginning is shown.' : ''}`,
  });
}

// --- the whole run: the host, and the streams of each device, in modelled time ---

const ACTIVITIES = {
  kernel: ['shade4', 'kernel', (name) => `kernel ${name}`],
  'copy in': ['in', 'copy to the device', (name) => `${name === '' ? '' : `${name} `}copy to the device`],
  'copy out': ['out', 'copy from the device', (name) => `${name === '' ? '' : `${name} `}copy from the device`],
  'copy within': ['within', 'copy within the device', () => 'copy within the device'],
  fill: ['fill', 'memset', () => 'memset'],
  launch: ['request', 'the host requests', (name) => `the host requests a ${name}`],
  allocation: ['allocation', 'the host allocates, frees or pins memory', (name) => name],
  pinning: ['allocation', 'the host allocates, frees or pins memory', (name) => name],
  wait: ['wait', 'the host waits', () => 'the host waits'],
};

function activityRows(run) {
  const devices = new Set(run.activities.map(([, device]) => device)).size;
  const rows = new Map();
  for (const [kind, device, stream, begin, end, name, bytes] of run.activities) {
    const row = `${
        stream < 0       ? 'host' :
            stream === 0 ? 'default stream' :
                           `stream ${commas(stream)}`}${devices > 1 ? `, device ${device}` : ''}`;
    if (!rows.has(row)) rows.set(row, {name: row, order: device * 1e9 + stream, spans: []});
    const [shade, , words] = ACTIVITIES[kind];
    rows.get(row).spans.push({
      begin,
      end,
      shade,
      text: `${row}, ${timeText(begin)} to ${timeText(end)}: ${words(run.names[name])}${
          bytes > 0 ? ` of ${scaled(bytes, 'B')}` : ''}, ${timeText(end - begin)}`
    });
  }
  for (const {spans} of rows.values()) spans.sort((a, b) => a.begin - b.begin);
  return [...rows.values()].sort((a, b) => a.order - b.order);
}

// How long each kind of work took, and for how much of the whole it accounts.
function shareTable(run) {
  const row = ([what, busy, share]) =>
      el('tr', {}, el('th', {scope: 'row'}, what), el('td', {}, busy === null ? '' : timeText(busy)),
         el('td', {}, timeText(share)), el('td', {}, percent(share / run.nanoseconds)));
  return el(
      'div', {class: 'shares'},
      el('table', {'aria-label': 'Where the time goes'},
         el('thead', {},
            el('tr', {}, ['', 'busy', 'accounts for', ''].map((title) => el('th', {scope: 'col'}, title)))),
         el('tbody', {}, run.shares.filter(([, busy, share]) => busy > 0 || share > 0).map(row)),
         el('tfoot', {}, row(['In all', null, run.nanoseconds]))));
}

const hasStreams = (run) => run.activities.some(([, , stream]) => stream > 0);

function runSection(run) {
  if (run === null || run.activities.length === 0) return null;
  const figure = () => rowsFigure({
    rows: activityRows(run),
    shades: [...new Map(Object.values(ACTIVITIES).map(([shade, words]) => [shade, words]))],
    tick: (time) => timeText(time),
    label: 'Timeline of the run. Arrow keys move from one activity to the next and from row to row.',
    resting: 'Point at the picture, or use the arrow keys on it, to read what went on.',
    caption: `Modelled time. What the program itself computes on the host takes none.${
        run.left_out > 0 ? ` Only the first ${commas(run.activities.length)} activities are shown.` : ''}`,
  });
  return el(
      'section', {class: 'run'}, el('h2', {}, 'Host and streams over time'), figure(), shareTable(run),
      el('p', {class: 'dim'},
         'A moment counts once, for the first row that is then busy. Where a row accounts for less than it was busy, the rest overlapped with rows above.'));
}
