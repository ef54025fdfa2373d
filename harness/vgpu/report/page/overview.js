// The top of the page: which kernel, what costs most in it and why, what the checkers found.

const WORDS = [
  [
    'warp',
    '32 threads of a block that execute one instruction together. Threads with neighbouring threadIdx.x are in the same warp.'
  ],
  ['request', 'One load or store instruction of one warp: up to 32 addresses at once.'],
  [
    'sector',
    '32 bytes of memory, the smallest unit moved between memory and the processor. Ideally all 32 bytes are used.'
  ],
  [
    'coalesced',
    'An access whose 32 addresses are in as few sectors as possible: neighbouring threads access neighbouring elements.'
  ],
  [
    'bank',
    'Shared memory has 32 banks; bank b holds the 4-byte words b, b + 32, b + 64, … Each bank serves one word per turn.'
  ],
  [
    'turn (wavefront)',
    'One pass of an access through shared memory. A bank conflict (two words in one bank) requires a second one.'
  ],
  [
    'divergence',
    'Threads of a warp take different paths at a condition. The warp then executes one path after the other.'
  ],
  ['barrier', '__syncthreads(): every warp of the block waits until all have arrived.'],
  [
    'occupancy',
    'How many of the warps that a multiprocessor can hold fit on it at once. While some wait for memory, others work.'
  ],
  ['roofline', 'How fast a kernel can be at best: limited by arithmetic (the flat roof) or by memory (the slope).'],
];

// Text in which the first occurrence of each of those words has a tooltip.
function explained(text) {
  const parts = [];
  const told = new Set();
  let from = 0;
  for (const match of text.matchAll(/\b(warps?|requests?|sectors?|banks?|turns?(?= per request)|bank conflict)\b/g)) {
    const word = match[0] === 'bank conflict' ? 'bank' : match[0].replace(/s$/, '');
    const entry = WORDS.find(([name]) => name.split(' ')[0] === word);
    if (!entry || told.has(word)) continue;
    told.add(word);
    parts.push(text.slice(from, match.index), el('abbr', {title: entry[1]}, match[0]));
    from = match.index + match[0].length;
  }
  return [...parts, text.slice(from)];
}

function kernelList(data, chosen, choose) {
  if (data.kernels.length < 2) return null;
  const all = data.kernels.reduce((sum, kernel) => sum + kernel.cost, 0) || 1;
  return el(
      'nav', {class: 'kernels', 'aria-label': 'Kernels, the most expensive first'},
      data.kernels.map(
          (kernel, number) =>
              el('button', {
                type: 'button',
                'aria-pressed': String(number === chosen),
                title: kernel.name,
                onclick: () => choose(number)
              },
                 el('span', {class: 'name'}, kernel.short_name),
                 el('span', {class: 'meter', 'aria-hidden': 'true'},
                    el('span', {style: `width:${(100 * kernel.cost) / all}%`})),
                 el('span', {class: 'share'}, percent(kernel.cost / all)),
                 el('span', {class: 'gist'},
                    kernel.remarks.length > 0 ? kernel.remarks[0].sentence : `✓ ${kernel.calm}`))));
}

function launchFacts(data, kernel) {
  const facts = [
    `${counted(kernel.launches, 'launch', 'launches')} of ${extent(kernel.grid)} ${
        extent(kernel.grid) === '1' ? 'block' : 'blocks'} of ${extent(kernel.block)} threads`,
  ];
  if (kernel.registers !== null) facts.push(counted(kernel.registers, 'register per thread', 'registers per thread'));
  if (kernel.shared_bytes > 0) facts.push(`${commas(kernel.shared_bytes)} bytes of shared memory per block`);
  const fit = kernel.occupancy;
  if (fit !== null)
    facts.push(
        fit.warps_per_sm === fit.max_warps_per_sm ?
            `all ${fit.max_warps_per_sm} warps that a multiprocessor can hold fit` :
            `${fit.warps_per_sm} of ${fit.max_warps_per_sm} warps fit on a multiprocessor (limit: ${fit.limiter})`);
  if (kernel.modelled !== null)
    facts.push(`modelled on ${data.device.name}: ${kernel.modelled.time}${
        data.run === null ? '' :
                            ` of the run’s ${timeText(data.run.nanoseconds)}`}, bound by ${kernel.modelled.bound_by}`);
  return facts.join(' · ');
}

const placeName = (data, remark) =>
    (remark.line > 0 ? `${data.files[remark.file].name}, line ${commas(remark.line)}` : 'The kernel as a whole');

function sourceText(data, file, line) {
  for (const [first, lines] of data.files[file].pieces)
    if (line >= first && line < first + lines.length) return lines[line - first].trim();
  return '';
}

function placeButton(data, remark, jump) {
  if (remark.line === 0) return el('span', {class: 'place'}, placeName(data, remark));
  return el(
      'button',
      {type: 'button', class: 'place', title: 'Go to this line', onclick: () => jump(remark.file, remark.line)},
      placeName(data, remark));
}

function headline(data, kernel, jump) {
  if (kernel.remarks.length === 0 && data.findings.length > 0) return null;  // no praise where something is wrong
  if (kernel.remarks.length === 0)
    return el(
        'div', {class: 'headline calm'}, el('p', {class: 'eyebrow'}, 'What stands out'),
        el('p', {class: 'sentence'}, `✓ ${sentence(kernel.calm)}`));
  const [worst] = kernel.remarks;
  const code = worst.line > 0 ? sourceText(data, worst.file, worst.line) : '';
  return el(
      'div', {class: 'headline'}, el('p', {class: 'eyebrow'}, 'What costs most'),
      el('p', {}, placeButton(data, worst, jump)), code !== '' && el('pre', {class: 'culprit'}, el('code', {}, code)),
      el('p', {class: 'sentence'}, explained(sentence(worst.sentence))),
      worst.why !== '' && el('p', {}, el('b', {}, 'Why. '), explained(worst.why)),
      worst.scale !== '' && el('p', {}, el('b', {}, 'How much. '), worst.scale),
      worst.advice !== '' && el('p', {}, el('b', {}, 'What usually helps. '), worst.advice));
}

function otherRemarks(data, kernel, jump) {
  const others = kernel.remarks.slice(1);
  if (others.length === 0) return null;
  return el(
      'section', {class: 'others'}, el('h2', {}, 'Also worth a look'),
      el('ol', {start: '2'},
         others.map(
             (remark) =>
                 el('li', {}, placeButton(data, remark, jump), ` ${sentence(remark.sentence)}`,
                    remark.line === 0 && remark.advice !== '' && el('span', {class: 'dim'}, ` ${remark.advice}`)))));
}

function findingList(data, jump) {
  if (data.findings.length === 0) return null;
  const total = data.findings.reduce((sum, finding) => sum + finding.count, 0);
  const shown = 5;
  const item = (finding) =>
      el('li', {class: 'finding'}, el('span', {class: 'tool'}, `✗ ${finding.tool}: ${finding.kind}`), ' ',
         finding.line > 0 && placeButton(data, finding, jump),
         finding.count > 1 && el('span', {class: 'dim'}, ` ${counted(finding.count, 'time', 'times')}`),
         el('p', {}, `${sentence(finding.sentence)} `, el('span', {class: 'dim'}, finding.advice)));
  const rest = data.findings.slice(shown);
  return el(
      'section', {class: 'findings'},
      el('h2', {}, `Wrong, not just slow: ${counted(data.findings.length, 'finding', 'findings')} from the checkers`),
      total > data.findings.length &&
          el('p', {class: 'dim'}, `seen ${counted(total, 'time', 'times')} in total`,
             data.findings_left_out > 0 &&
                 `; ${
                     counted(
                         data.findings_left_out, 'more finding is',
                         'more findings are')} left out to keep this page small`),
      el('ul', {}, data.findings.slice(0, shown).map(item)),
      rest.length > 0 &&
          el('details', {}, el('summary', {}, `${counted(rest.length, 'more finding', 'more findings')}`),
             el('ul', {}, rest.map(item))));
}

function noteList(data) {
  if (data.notes.length === 0) return null;
  const shown = 5;
  const item = (note) =>
      el('li', {}, note.line > 0 && el('span', {class: 'place'}, placeName(data, note)), ` ${sentence(note.sentence)} `,
         el('span', {class: 'dim'}, note.advice));
  const rest = data.notes.slice(shown);
  return el(
      'section', {class: 'others notes'}, el('h2', {}, 'May be right as it is'),
      el('ul', {}, data.notes.slice(0, shown).map(item)),
      rest.length > 0 &&
          el('details', {}, el('summary', {}, counted(rest.length, 'more note', 'more notes')),
             el('ul', {}, rest.map(item))));
}

function uncheckedList(data) {
  if (data.unchecked.length === 0) return null;
  return el(
      'section', {class: 'others'}, el('h2', {}, 'Not checked completely'),
      el('ul', {}, data.unchecked.map((item) => el('li', {}, sentence(item)))));
}

function glossary() {
  return el(
      'details', {class: 'words'}, el('summary', {}, 'Glossary'),
      el('dl', {}, WORDS.map(([word, meaning]) => [el('dt', {}, word), el('dd', {}, meaning)])));
}
