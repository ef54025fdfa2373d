// The source with its heat columns, remarks and findings in place, and the access patterns of opened lines.

const keyOf = (file, line) => `${file}:${line}`;

function groupByLine(items) {
  const groups = new Map();
  items.forEach((item) => {
    if (!item) return;
    const key = keyOf(item.file, item.line);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  });
  return groups;
}

class SourceView {
  constructor(data, kernel, findings) {
    this.data = data;
    this.kernel = kernel;
    this.lines = new Map();
    for (const line of kernel ? kernel.lines : []) this.lines.set(keyOf(line.file, line.line), countersOf(line));
    this.patterns = groupByLine(kernel ? kernel.patterns : []);
    this.remarks = groupByLine(kernel ? kernel.remarks.filter((remark) => remark.line > 0) : []);
    this.findings = groupByLine(findings);
    this.columns = columnsFor([...this.lines.values()]);
    const wanted = kernel && kernel.remarks.length > 0 ? COLUMN_OF_REMARK[kernel.remarks[0].kind] : 'instructions';
    this.chosen = (this.columns.find((column) => column.id === wanted) || this.columns[0] || {}).id;
    this.rows = [];  // those that can be selected
    this.details = new Map();
    this.current = 0;
    this.node = el('div', {class: 'source'}, this.files().map((file) => this.file(file)));
    if (this.rows.length > 0) this.rows[0].row.tabIndex = 0;
    this.node.addEventListener('keydown', (event) => this.key(event));
    this.paint();
  }

  // Files with lines that ran or have findings, the hottest first.
  files() {
    const heat = new Map();
    for (const key of [...this.lines.keys(), ...this.findings.keys()]) heat.set(Number(key.split(':')[0]), 0);
    for (const line of this.lines.values()) heat.set(line.file, heat.get(line.file) + line.executions);
    for (const remark of this.kernel ? this.kernel.remarks : [])
      if (heat.has(remark.file)) heat.set(remark.file, heat.get(remark.file) + remark.share * 1e15);
    return [...heat.keys()].sort((a, b) => heat.get(b) - heat.get(a));
  }

  isMarked(file, line) {
    const key = keyOf(file, line);
    return this.lines.has(key) || this.findings.has(key);
  }

  file(number) {
    const file = this.data.files[number];
    const body = el('tbody', {});
    const marked = [...this.lines.keys(), ...this.findings.keys()]
                       .filter((key) => key.startsWith(`${number}:`))
                       .map((key) => Number(key.split(':')[1]))
                       .sort((a, b) => a - b);
    const shown = new Set();
    for (const [first, lines] of file.pieces) {
      let hidden = [];
      const flush = () => {
        if (hidden.length > 8)
          body.append(this.gap(number, hidden));
        else
          for (const [line, text] of hidden) this.addLine(body, number, line, text);
        hidden = [];
      };
      let next = 0;
      lines.forEach((text, i) => {
        const line = first + i;
        shown.add(line);
        while (next < marked.length && marked[next] < line - 3) ++next;
        if (next < marked.length && marked[next] <= line + 3) {
          flush();
          this.addLine(body, number, line, text);
        } else {
          hidden.push([line, text]);
        }
      });
      flush();
    }
    // Lines whose text is missing.
    for (const line of new Set(marked))
      if (!shown.has(line)) this.addLine(body, number, line, '');
    return el(
        'section', {class: 'file'}, el('h3', {title: file.path}, file.name || 'Unknown lines'),
        file.note !== '' && el('p', {class: 'dim'}, sentence(file.note)),
        el('div', {class: 'scroll'}, el('table', {'aria-label': `${file.name}, line by line`}, this.headings(), body)));
  }

  headings() {
    const heading = ({id, title, about}) => {
      const button = el('button', {type: 'button', title: about, onclick: () => this.choose(id)}, title);
      return el('th', {class: 'heat', scope: 'col', 'data-column': id}, button);
    };
    const row =
        el('tr', {}, el('th', {class: 'number', scope: 'col'}, 'line'), this.columns.map(heading),
           el('th', {class: 'code', scope: 'col'}, 'source'));
    return el('thead', {}, row);
  }

  gap(file, hidden) {
    const words = `${counted(hidden.length, 'line', 'lines')} that this kernel does not execute`;
    const button = el('button', {type: 'button'}, words);
    const row = el('tr', {class: 'gap'}, el('td', {colspan: this.columns.length + 2}, button));
    button.addEventListener('click', () => {
      const part = el('tbody', {});
      for (const [line, text] of hidden) this.addLine(part, file, line, text);
      row.replaceWith(...part.childNodes);
    });
    return row;
  }

  addLine(body, file, line, text) {
    const key = keyOf(file, line);
    const remarks = this.remarks.get(key) || [];
    const findings = this.findings.get(key) || [];
    const marked = this.isMarked(file, line);
    const opens = this.patterns.has(key) || remarks.some((remark) => this.hasMore(remark));
    const is = {remarked: remarks.length > 0, faulty: findings.length > 0, opens, cold: !this.lines.has(key)};
    const click = () => {
      this.moveTo(key);
      if (opens && String(getSelection()) === '') this.toggle(key);
    };
    const row = el('tr', {
      class: ['line', ...Object.keys(is).filter((name) => is[name])].join(' '),
      'data-key': key,
      tabindex: marked ? '-1' : null,
      'aria-expanded': opens ? 'false' : null,
      onclick: marked ? click : null,
    });
    row.append(
        el('td', {class: 'number'}, this.sign(is), line > 0 ? line : '?'), ...this.heatCells(this.lines.get(key)),
        el('td', {class: 'code'}, el('code', {}, text), opens ? el('span', {class: 'hint'}, '▸') : ''));
    body.append(row);
    for (const remark of remarks) body.append(this.note('remark', '▲', sentence(remark.sentence), key));
    for (const finding of findings) body.append(this.note('fault', '✗', findingText(finding), key));
    if (marked) this.rows.push({key, row, opens});
  }

  sign({remarked, faulty}) {
    if (faulty) return el('span', {class: 'sign', 'aria-label': 'finding'}, '✗');
    return remarked ? el('span', {class: 'sign', 'aria-label': 'remark'}, '▲') : '';
  }

  heatCells(counters) {
    return this.columns.map((column) => {
      const attributes = {class: 'heat', 'data-column': column.id};
      if (!counters || !column.shows(counters)) return el('td', attributes);
      const heat = heatOf(column, counters);
      attributes.title = column.exact(counters);
      if (heat > 0) attributes.style = `--heat:${(0.06 + 0.94 * heat).toFixed(3)}`;
      return el('td', attributes, column.text(counters));
    });
  }

  // The worst remark is shown in full at the top of the page.
  hasMore(remark) {
    return remark !== this.kernel.remarks[0];
  }

  note(kind, sign, text, key) {
    return el(
        'tr', {class: `note ${kind}`, onclick: () => this.toggle(key)},
        el('td', {class: 'number', 'aria-hidden': 'true'}),
        el('td', {colspan: this.columns.length + 1},
           el('div', {class: 'in-view'}, el('span', {class: 'sign', 'aria-hidden': 'true'}, sign), ` ${text}`)));
  }

  choose(id) {
    this.chosen = id;
    this.paint();
  }

  paint() {
    this.node.dataset.chosen = this.chosen || '';
    for (const cell of this.node.querySelectorAll('.heat')) {
      const chosen = cell.dataset.column === this.chosen;
      cell.classList.toggle('chosen', chosen);
      if (cell.tagName === 'TH') cell.firstChild.setAttribute('aria-pressed', String(chosen));
    }
  }

  find(key) {
    return this.rows.find((entry) => entry.key === key);
  }

  moveTo(key, focus = true) {
    const at = this.rows.findIndex((entry) => entry.key === key);
    if (at < 0) return;
    if (this.rows[this.current]) {
      this.rows[this.current].row.tabIndex = -1;
      this.rows[this.current].row.classList.remove('current');
    }
    this.current = at;
    const {row} = this.rows[at];
    row.tabIndex = 0;
    row.classList.add('current');
    if (focus) {
      row.focus({preventScroll: true});
      const box = row.getBoundingClientRect();
      if (box.top < 60 || box.bottom > innerHeight - 40) row.scrollIntoView({block: 'center'});
    }
  }

  toggle(key, open = !this.details.has(key)) {
    const entry = this.find(key);
    if (!entry || !entry.opens || open === this.details.has(key)) return;
    entry.row.setAttribute('aria-expanded', String(open));
    if (!open) {
      this.details.get(key).remove();
      this.details.delete(key);
      return;
    }
    const remarks = this.remarks.get(key) || [];
    const worstFirst = [...(this.patterns.get(key) || [])].sort((a, b) => wasteOf(b) - wasteOf(a));
    const detail =
        el('tr', {class: 'detail'},
           el('td', {colspan: this.columns.length + 2},
              el('div', {class: 'opened in-view'},
                 remarks.filter((remark) => this.hasMore(remark))
                     .map((remark) => el('p', {}, remark.why, ' ', remark.scale, ' ', remark.advice)),
                 worstFirst.map(accessFigure))));
    let after = entry.row;
    while (after.nextElementSibling && after.nextElementSibling.classList.contains('note'))
      after = after.nextElementSibling;
    after.after(detail);
    this.details.set(key, detail);
  }

  // The lines ordered by the heat of the chosen column.
  hottest() {
    const column = this.columns.find(({id}) => id === this.chosen);
    const heat = (entry) => (this.lines.has(entry.key) && column ? heatOf(column, this.lines.get(entry.key)) : 0);
    return this.rows.filter((entry) => heat(entry) > 0).sort((a, b) => heat(b) - heat(a));
  }

  nextHottest(by) {
    const order = this.hottest();
    if (order.length === 0) return;
    const at = order.findIndex((entry) => entry === this.rows[this.current]);
    this.moveTo(order[(Math.max(at, by < 0 ? 0 : -1) + by + order.length) % order.length].key);
  }

  chooseNeighbour(step) {
    const at = this.columns.findIndex(({id}) => id === this.chosen);
    this.choose(this.columns[(at + step + this.columns.length) % this.columns.length].id);
  }

  step(by) {
    if (this.rows.length > 0)
      this.moveTo(this.rows[Math.min(Math.max(this.current + by, 0), this.rows.length - 1)].key);
  }

  key(event) {
    if (event.target.tagName === 'BUTTON' || event.ctrlKey || event.metaKey || event.altKey) return;
    const entry = this.rows[this.current];
    const actions = {
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      ArrowRight: () => this.chooseNeighbour(1),
      ArrowLeft: () => this.chooseNeighbour(-1),
      Home: () => this.step(-this.rows.length),
      End: () => this.step(this.rows.length),
      Enter: () => entry && this.toggle(entry.key),
      ' ': () => entry && this.toggle(entry.key),
      Escape: () => entry && this.toggle(entry.key, false)
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

function findingText(finding) {
  const times = finding.count > 1 ? ` (${counted(finding.count, 'time', 'times')})` : '';
  return `${finding.tool}: ${finding.kind}${times}: ${sentence(finding.sentence)} ${finding.advice}`;
}

function wasteOf(pattern) {
  return pattern.space === 'shared' ? pattern.wavefronts - pattern.ideal_wavefronts :
                                      (pattern.sectors - pattern.ideal_sectors) / 2;
}
