// Builds the page, shows one kernel at a time, and handles the keyboard.

const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
let view = null;
const buttons = pageKeys(
    {
      j: () => view.step(1),
      k: () => view.step(-1),
      n: () => view.nextHottest(1),
      p: () => view.nextHottest(-1),
    },
    ['Enter', '←', '→']);

function jump(file, line) {
  const key = keyOf(file, line);
  if (view && view.find(key)) {
    view.moveTo(key);
    view.toggle(key, true);
    return;
  }
  // A line of another kernel.
  const other = data.kernels.findIndex((kernel) => kernel.lines.some((item) => keyOf(item.file, item.line) === key));
  if (other >= 0) {
    show(other);
    view.moveTo(key);
    view.toggle(key, true);
  }
}

function show(number, byList = false) {
  const kernel = data.kernels[number] || null;
  const known = new Set(data.kernels.map(({name}) => name));
  const own = data.findings.filter(
      (finding) => finding.line > 0 && (!kernel || finding.kernel === kernel.name || !known.has(finding.kernel)));
  view = new SourceView(data, kernel, own);
  const timeline = kernel && kernel.timeline ? timelineFigure(kernel.timeline) : null;
  const run = runSection(data.run);
  const overlaps = run !== null && hasStreams(data.run);  // then that is what the program is about
  const whole = data.findings.length > 0 ? 'What the checkers found' : 'Where the time went';
  document.title = kernel ? `${kernel.short_name}: what it costs` : whole;
  page.replaceChildren(
      el('header', {class: 'top'}, el('span', {class: 'brand'}, 'Lanewise'),
         el('span', {class: 'dim'},
            `counted on a virtual GPU${data.device.name === '' ? '' : ` with the limits of an ${data.device.name}`}`),
         buttons),
      el('main', {}, kernelList(data, number, (other) => show(other, true)) || '',
         kernel ? el('h1', {class: 'name', title: kernel.name}, kernel.short_name) : el('h1', {}, whole),
         kernel && el('p', {class: 'facts'}, launchFacts(data, kernel)), findingList(data, jump) || '',
         kernel && el('div', {class: 'story'}, headline(data, kernel, jump), roofline(data, kernel)), overlaps && run,
         glossary(), noteList(data) || '', uncheckedList(data), kernel && otherRemarks(data, kernel, jump),
         view.rows.length > 0 && el('section', {}, el('h2', {}, 'Line by line'), view.node), !overlaps && run,
         timeline && el('section', {}, el('h2', {}, 'One block over time'), timeline),
         el('footer', {class: 'dim'}, 'Counted on Lanewise’s virtual GPU, exactly, not sampled. ',
            kernel && kernel.brief &&
                'To keep this page small, only accesses with a remark are shown for this kernel, and no timeline. ',
            data.kernels_left_out > 0 &&
                `${
                    counted(
                        data.kernels_left_out, 'kernel that costs less is',
                        'kernels that cost less are')} left out to keep this page small.`)));
  const chosen = page.querySelector('.kernels [aria-pressed="true"]');
  if (chosen) {
    chosen.parentNode.scrollTop = chosen.offsetTop - chosen.parentNode.offsetTop - chosen.parentNode.clientHeight / 2;
    if (byList) chosen.focus();  // the button that had it is gone
  }
  // The worst line is open from the start.
  if (kernel && kernel.remarks.length > 0 && kernel.remarks[0].line > 0) {
    const key = keyOf(kernel.remarks[0].file, kernel.remarks[0].line);
    view.moveTo(key, false);
    view.toggle(key, true);
  }
}

// The kernel with the most wasteful line; if there is none, the most expensive kernel.
const waste = (kernel) => (kernel.remarks.length > 0 ? kernel.remarks[0].share * kernel.cost : 0);
const worst =
    data.kernels.reduce((most, kernel, number) => (waste(kernel) > waste(data.kernels[most]) ? number : most), 0);
show(worst);
