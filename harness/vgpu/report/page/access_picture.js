// One access of one warp as a picture: 32 threads on top, and the sectors or banks that they touch below.

// Okabe and Ito's colours, which colour-blind readers can tell apart; light ones get dark figures.
const HUES = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8c6bb1'];
const DARK_HUES = ['#0072b2', '#d55e00', '#8c6bb1'];
const PICTURE_WIDTH = 1000;
const LANE = {
  width: 27,
  height: 24,
  step: PICTURE_WIDTH / 32
};

const laneMiddle = (lane) => (lane + 0.5) * LANE.step;

function drawLanes(picture, pattern, colourOf) {
  const ink = (lane) => (DARK_HUES.includes(colourOf(lane)) ? '#fff' : '#14181d');
  pattern.offsets.forEach((offset, lane) => {
    const left = laneMiddle(lane) - LANE.width / 2;
    picture.append(
        svg('rect', {
          class: offset === null ? 'lane idle' : 'lane',
          x: left,
          y: 0,
          width: LANE.width,
          height: LANE.height,
          rx: 4,
          style: offset === null ? null : `fill:${colourOf(lane)}`
        },
            svg('title', {},
                offset === null ? `thread ${lane} of the warp is inactive` :
                                  `thread ${lane} of the warp: ${addressName(pattern, lane)}`)),
        svg('text', {
          class: offset === null ? 'lane-number idle' : 'lane-number',
          x: laneMiddle(lane),
          y: 17,
          'text-anchor': 'middle',
          style: offset === null ? null : `fill:${ink(lane)}`
        },
            lane));
  });
}

// "d_in[1024]", or the distance in bytes from the first.
function addressName(pattern, lane) {
  const first = pattern.offsets.find((offset) => offset !== null);
  const distance = pattern.offsets[lane] - first;
  if (pattern.first_index === null || pattern.array === '') return `${commas(distance)} bytes from the first`;
  return `${pattern.array}[${pattern.first_index + Math.floor(distance / pattern.bytes)}]`;
}

// ", each 4,096 bytes after the previous one", if sectors are equally far apart.
function spacing(sectors) {
  const steps = new Set(sectors.slice(1).map((sector, i) => sector - sectors[i]));
  const [step] = steps;
  return steps.size === 1 && step > 1 ? `, each ${commas(32 * step)} bytes after the previous one` : '';
}

function sectorPicture(pattern) {
  const lanes = pattern.offsets.map((offset, lane) => ({offset, lane})).filter(({offset}) => offset !== null);
  const used = new Map();  // sector -> set of bytes
  for (const {offset} of lanes)
    for (let byte = offset; byte < offset + pattern.bytes; ++byte) {
      const sector = Math.floor(byte / 32);
      if (!used.has(sector)) used.set(sector, new Set());
      used.get(sector).add(byte % 32);
    }
  const sectors = [...used.keys()].sort((a, b) => a - b);
  const gaps = sectors.filter((sector, i) => i > 0 && sector !== sectors[i - 1] + 1).length;
  const gap = Math.min(26, 260 / Math.max(gaps, 1));
  const size = Math.min(118, (PICTURE_WIDTH - gaps * gap) / sectors.length);
  const lefts = new Map();
  let left = (PICTURE_WIDTH - sectors.length * size - gaps * gap) / 2;
  sectors.forEach((sector, i) => {
    if (i > 0 && sector !== sectors[i - 1] + 1) left += gap;
    lefts.set(sector, left);
    left += size;
  });
  const colour = new Map(sectors.map((sector, i) => [sector, HUES[i % HUES.length]]));
  const top = 130, boxHeight = 34;
  const below = top + boxHeight;
  const picture = svg('svg', {
    class: 'access',
    viewBox: `0 0 ${PICTURE_WIDTH} ${below + (pattern.ideal_sectors < sectors.length ? 70 : 26)}`,
    role: 'img',
    'aria-label': 'Threads of a warp and the sectors of memory they touch'
  });

  for (const {offset, lane} of lanes) {
    const sector = Math.floor(offset / 32);
    const to = lefts.get(sector) + ((offset % 32) + Math.min(pattern.bytes, 32 - (offset % 32)) / 2) * (size / 32);
    picture.append(svg('path', {
      class: 'wire',
      style: `stroke:${colour.get(sector)}`,
      d: `M${laneMiddle(lane)} ${LANE.height}C${laneMiddle(lane)} 80 ${to} 75 ${to} ${top}`
    }));
  }
  sectors.forEach((sector, i) => {
    const at = lefts.get(sector);
    picture.append(
        svg('rect', {class: 'sector', x: at + 0.75, y: top, width: size - 1.5, height: boxHeight},
            svg('title', {}, `a sector of 32 bytes, of which ${used.get(sector).size} are used`)));
    for (const byte of used.get(sector))
      picture.append(svg('rect', {
        x: at + 0.75 + (byte * (size - 1.5)) / 32,
        y: top,
        width: (size - 1.5) / 32 + 0.3,
        height: boxHeight,
        style: `fill:${colour.get(sector)}`
      }));
    if (i > 0 && sector !== sectors[i - 1] + 1)
      picture.append(
          svg('text', {class: gap > 12 ? 'note' : 'note narrow', x: at - gap / 2, y: top + 21, 'text-anchor': 'middle'},
              '…'));
  });
  drawLanes(picture, pattern, (lane) => colour.get(Math.floor(pattern.offsets[lane] / 32)));

  const start = lefts.get(sectors[0]);
  picture.append(
      svg('text', {class: 'note', x: start, y: below + 18},
          `moved: ${counted(sectors.length, 'sector', 'sectors')}, ${commas(sectors.length * 32)} bytes${
              spacing(sectors)}`));
  if (pattern.ideal_sectors > 0 && pattern.ideal_sectors < sectors.length) {
    for (let i = 0; i < pattern.ideal_sectors; ++i)
      picture.append(svg(
          'rect', {class: 'ideal', x: start + i * size + 0.75, y: below + 32, width: size - 1.5, height: boxHeight}));
    picture.append(svg(
        'text', {class: 'note', x: start + pattern.ideal_sectors * size + 8, y: below + 53},
        `needed: ${counted(pattern.ideal_sectors, 'sector', 'sectors')}, if neighbours used neighbouring elements`));
  }
  return picture;
}

function bankPicture(pattern) {
  const words = new Map();  // bank -> its requested words, in order
  for (const offset of pattern.offsets)
    if (offset !== null)
      for (let byte = offset; byte < offset + pattern.bytes; byte += Math.min(4, pattern.bytes)) {
        const word = Math.floor(byte / 4);
        if (!words.has(word % 32)) words.set(word % 32, new Set());
        words.get(word % 32).add(word);
      }
  for (const [bank, set] of words) words.set(bank, [...set].sort((a, b) => a - b));
  const tallest = Math.max(...[...words.values()].map((list) => list.length), 1);
  const cell = Math.max(5, Math.min(18, 170 / tallest));
  const top = 130;
  const floor = top + tallest * cell;
  const crowded = (bank) => words.get(bank).length > 1 && words.get(bank).length * pattern.ideal_wavefronts > 1 &&
      pattern.wavefronts > pattern.ideal_wavefronts;
  const colour = (bank) => (crowded(bank) ? 'var(--warm)' : 'var(--cool)');
  const cellTop = (word) => floor - (words.get(word % 32).indexOf(word) + 1) * cell;
  const picture = svg('svg', {
    class: 'access',
    viewBox: `0 0 ${PICTURE_WIDTH} ${floor + 50}`,
    role: 'img',
    'aria-label': 'Threads of a warp and the banks of shared memory they touch'
  });
  pattern.offsets.forEach((offset, lane) => {
    if (offset === null) return;
    const word = Math.floor(offset / 4);
    const to = laneMiddle(word % 32);
    picture.append(svg('path', {
      class: 'wire',
      style: `stroke:${colour(word % 32)}`,
      d: `M${laneMiddle(lane)} ${LANE.height}C${laneMiddle(lane)} 80 ${to} 75 ${to} ${cellTop(word) + cell / 2}`
    }));
  });
  for (let bank = 0; bank < 32; ++bank) {
    const left = laneMiddle(bank) - LANE.width / 2;
    for (const word of words.get(bank) || [])
      picture.append(
          svg('rect', {
            class: 'word',
            x: left,
            y: cellTop(word) + 0.5,
            width: LANE.width,
            height: cell - 1,
            style: `fill:${colour(bank)}`
          },
              svg('title', {}, `word ${word} from the first row of banks, in bank ${bank}`)));
    picture.append(
        svg('rect', {class: 'bank', x: left, y: floor + 3, width: LANE.width, height: 20, rx: 3}),
        svg('text', {class: 'lane-number idle', x: laneMiddle(bank), y: floor + 17, 'text-anchor': 'middle'}, bank));
  }
  picture.append(
      svg('text', {class: 'note', x: 4, y: floor + 42},
          'the 32 banks of shared memory; each block above a bank is a word requested from it and takes one turn'));
  drawLanes(picture, pattern, (lane) => colour(Math.floor(pattern.offsets[lane] / 4) % 32));
  return picture;
}

const DEEDS = {
  load: 'read',
  store: 'write',
  atomic: 'update'
};

function accessFigure(pattern) {
  const lanes = pattern.offsets.filter((offset) => offset !== null).length;
  const deed = DEEDS[pattern.kind] || 'access';
  const who = `Warp ${pattern.warp} of block (${pattern.block.join(', ')}): its ${
      counted(lanes, 'thread', 'threads')} on top ${deed} ${counted(pattern.bytes, 'byte', 'bytes')} each`;
  const what = pattern.array === '' ? '' : ` of ${pattern.array.replace(/^allocation#/, 'allocation no. ')}`;
  if (pattern.space === 'local')
    return el(
        'p', {class: 'dim'},
        `${who} of their own local memory. Its layout puts the same element of neighbouring threads side by side.`);
  if (pattern.space === 'shared')
    return el(
        'figure', {class: 'pattern'},
        el('h4', {},
           `${pattern.kind} of shared memory${what}: ${counted(pattern.wavefronts, 'turn', 'turns')}, where ${
               commas(pattern.ideal_wavefronts)} would do`),
        bankPicture(pattern),
        el('figcaption', {},
           `${who}. A bank serves one word per turn; the tallest pile determines the number of turns. A word that several threads request counts once.`));
  return el(
      'figure', {class: 'pattern'},
      el('h4', {},
         `${pattern.kind}${what}: ${counted(pattern.sectors, 'sector', 'sectors')}, where ${
             commas(pattern.ideal_sectors)} would do`),
      sectorPicture(pattern),
      el('figcaption', {},
         `${who}; below, the 32-byte sectors that hold these, ordered by address. Coloured: bytes that are used. Empty: bytes that are moved needlessly.`));
}
