// The source with its columns of heat; remarks and findings in place; one line's access pattern at a time or several.

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
    this.rows = [];  // those one can move to
    this.details = new Map();
    this.current = 0;
    this.node = el('div', {class: 'source'}, this.files().map((file) => this.file(file)));
    if (this.rows.length > 0) this.rows[0].row.tabIndex = 0;
    this.node.addEventListener('keydown', (event) => this.key(event));
    this.paint();
  }

  // Those with lines that ran or were found fault with, the hottest first.
  files() {
    const heat = new Map();
    for (const key of [...this.lines.keys(), ...this.findings.keys()]) heat.set(Number(key.split(':')[0]), 0);
    for (const line of this.lines.values()) heat.set(line.file, heat.get(line.file) + line.executions);
    for (const remark of this.kernel ? this.kernel.remarks : []) if (heat.has(remark.file)) heat.set(remark.file, heat.get(remark.file) + remark.share * 1e15);
    return [...heat.keys()].sort((a, b) => heat.get(b) - heat.get(a));
  }

  isMarked(file, line) {
    const key = keyOf(file, line);
    return this.lines.has(key) || this.findings.has(key);
  }

  file(number) {
    const file = this.data.files[number];
    const body = el('tbody', {});
    const marked = [...this.lines.keys(), ...this.findings.keys()].filter((key) => key.startsWith(`${number}:`)).map((key) => Number(key.split(':')[1])).sort((a, b) => a - b);
    if (file.pieces.length === 0) for (const line of new Set(marked)) this.addLine(body, number, line, '');
    for (const [first, lines] of file.pieces) {
      let hidden = [];
      const flush = () => {
        if (hidden.length > 8) body.append(this.gap(number, hidden));
        else for (const [line, text] of hidden) this.addLine(body, number, line, text);
        hidden = [];
      };
      let next = 0;
      lines.forEach((text, i) => {
        const line = first + i;
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
    return el('section', {class: 'file'},
      el('h3', {title: file.path}, file.name || 'Lines that are not known'),
      file.note !== '' && el('p', {class: 'dim'}, sentence(file.note)),
      el('div', {class: 'scroll'}, el('table', {'aria-label': `${file.name}, line by line`},
        el('thead', {}, el('tr', {}, el('th', {class: 'number', scope: 'col'}, 'line'),
          this.columns.map((column) => el('th', {class: 'heat', scope: 'col', 'data-column': column.id},
            el('button', {type: 'button', title: column.about, onclick: () => this.choose(column.id)}, column.title))),
          el('th', {class: 'code', scope: 'col'}, 'source'))), body)));
  }

  gap(file, hidden) {
    const words = `${counted(hidden.length, 'line', 'lines')} that this kernel does not execute`;
    const row = el('tr', {class: 'gap'}, el('td', {colspan: this.columns.length + 2}, el('button', {type: 'button', onclick: () => {
      const part = el('tbody', {});
      for (const [line, text] of hidden) this.addLine(part, file, line, text);
      row.replaceWith(...part.childNodes);
    }}, words)));
    return row;
  }

  addLine(body, file, line, text) {
    const key = keyOf(file, line);
    const counters = this.lines.get(key);
    const remarks = this.remarks.get(key) || [];
    const findings = this.findings.get(key) || [];
    const opens = this.patterns.has(key) || remarks.some((remark) => this.hasMore(remark));
    const sign = findings.length > 0 ? '✗' : remarks.length > 0 ? '▲' : '';
    const row = el('tr', {class: `line${remarks.length > 0 ? ' remarked' : ''}${findings.length > 0 ? ' faulty' : ''}${opens ? ' opens' : ''}${counters ? '' : ' cold'}`, 'data-key': key, id: `line-${file}-${line}`,
      tabindex: this.isMarked(file, line) ? '-1' : null, 'aria-expanded': opens ? 'false' : null,
      onclick: () => this.isMarked(file, line) && (this.moveTo(key), opens && String(getSelection()) === '' && this.toggle(key))},
    el('td', {class: 'number'}, sign !== '' && el('span', {class: 'sign', 'aria-label': sign === '✗' ? 'finding' : 'remark'}, sign), line > 0 ? line : '?'),
    this.columns.map((column) => {
      const shows = counters && column.shows(counters);
      const heat = shows ? heatOf(column, counters) : 0;
      return el('td', {class: 'heat', 'data-column': column.id, title: shows ? column.exact(counters) : null, style: heat > 0 ? `--heat:${(0.06 + 0.94 * heat).toFixed(3)}` : null}, shows ? column.text(counters) : '');
    }),
    el('td', {class: 'code'}, el('code', {}, text), opens && el('span', {class: 'hint'}, '▸')));
    body.append(row);
    for (const remark of remarks) body.append(this.note('remark', '▲', sentence(remark.sentence), key));
    for (const finding of findings)
      body.append(this.note('fault', '✗', `${finding.tool}: ${finding.kind}${finding.count > 1 ? ` (${counted(finding.count, 'time', 'times')})` : ''}: ${finding.sentence}. ${finding.advice}`, key));
    if (this.isMarked(file, line)) this.rows.push({key, row, opens});
  }

  // Of the worst, all is said at the top of the page.
  hasMore(remark) {
    return remark !== this.kernel.remarks[0];
  }

  note(kind, sign, text, key) {
    return el('tr', {class: `note ${kind}`, onclick: () => this.toggle(key)}, el('td', {class: 'number', 'aria-hidden': 'true'}), el('td', {colspan: this.columns.length + 1}, el('div', {class: 'in-view'}, el('span', {class: 'sign', 'aria-hidden': 'true'}, sign), ` ${text}`)));
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
    const detail = el('tr', {class: 'detail'}, el('td', {colspan: this.columns.length + 2}, el('div', {class: 'opened in-view'},
      remarks.filter((remark) => this.hasMore(remark)).map((remark) => el('p', {}, remark.why, ' ', remark.scale, ' ', remark.advice)), worstFirst.map(accessFigure))));
    let after = entry.row;
    while (after.nextElementSibling && after.nextElementSibling.classList.contains('note')) after = after.nextElementSibling;
    after.after(detail);
    this.details.set(key, detail);
  }

  // The lines in the order of how hot the chosen column is.
  hottest() {
    const column = this.columns.find(({id}) => id === this.chosen);
    const heat = (entry) => (this.lines.has(entry.key) && column ? heatOf(column, this.lines.get(entry.key)) : 0);
    return this.rows.filter((entry) => heat(entry) > 0).sort((a, b) => heat(b) - heat(a));
  }

  nextHottest() {
    const order = this.hottest();
    if (order.length === 0) return;
    const at = order.findIndex((entry) => entry === this.rows[this.current]);
    this.moveTo(order[(at + 1) % order.length].key);
  }

  chooseNeighbour(step) {
    const at = this.columns.findIndex(({id}) => id === this.chosen);
    this.choose(this.columns[(at + step + this.columns.length) % this.columns.length].id);
  }

  step(by) {
    if (this.rows.length > 0) this.moveTo(this.rows[Math.min(Math.max(this.current + by, 0), this.rows.length - 1)].key);
  }

  key(event) {
    if (event.target.tagName === 'BUTTON' || event.ctrlKey || event.metaKey || event.altKey) return;
    const entry = this.rows[this.current];
    const actions = {ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1), ArrowRight: () => this.chooseNeighbour(1), ArrowLeft: () => this.chooseNeighbour(-1),
      Home: () => this.step(-this.rows.length), End: () => this.step(this.rows.length), Enter: () => entry && this.toggle(entry.key), ' ': () => entry && this.toggle(entry.key), Escape: () => entry && this.toggle(entry.key, false)};
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

function wasteOf(pattern) {
  return pattern.space === 'shared' ? pattern.wavefronts - pattern.ideal_wavefronts : (pattern.sectors - pattern.ideal_sectors) / 2;
}
