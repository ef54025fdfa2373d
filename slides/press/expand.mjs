// A deck as Marp takes it: code, numbers and figures in their places, notes apart.
import fs from 'node:fs';
import path from 'node:path';

import {includeOptions, selectCode} from './code_include.mjs';
import {figure} from './figures.mjs';
import {languages, original} from './languages.mjs';
import {linksFromPage} from './links.mjs';
import {withNumbers} from './numbers.mjs';
import {slides as slidesFolder} from './tree.mjs';

// Returns {markdown, language, slides: [{slug, title, file, line, notes, steps, figures: Map(id, html)}]} for a page in
// the folder `out`; what fails is added to `problems`.
export function expandDeck(deck, problems, root, out) {
  const files = new Map();
  const read = (file) => {
    const whole = path.join(root, file);
    const inside = !path.relative(root, whole).startsWith('..');
    if (!files.has(file))
      files.set(
          file, inside && fs.existsSync(whole) && fs.statSync(whole).isFile() ? fs.readFileSync(whole, 'utf8') : null);
    return files.get(file);
  };
  const slides =
      deck.slides.map((slide, index) => new SlideExpansion(deck, slide, index, problems, {read, root, out}).run());
  const quoted = (text) => JSON.stringify(text ?? '');
  const head = [
    '---', 'marp: true', 'theme: lanewise', `title: ${quoted(deck.meta.title)}`,
    `description: ${quoted(deck.meta.description)}`, `lang: ${deck.language}`, 'paginate: true',
    `footer: ${quoted(`Lanewise · ${deck.meta.title}`)}`, `pressed: ${deck.name}`, '---', ''
  ];
  const markdown = head.join('\n') + slides.map((slide) => slide.markdown).join('\n\n---\n\n') + '\n';
  return {markdown, language: deck.language, slides};
}

// Notes are hard-wrapped where they are written, and shown at another width. Chinese has no spaces.
export function unwrapped(notes, language = original) {
  const {answer, discussion} = languages[language];
  return notes.split(/\n\s*\n/)
      .map(
          (paragraph) =>
              paragraph.trim()
                  .replace(/(?<=[\p{Script=Han}，。；：？！、（）“”])\n(?=[\p{Script=Han}（“])/gu, '')
                  .replace(/\n(?!\s*(?:[-*]|\d+\.)\s|Answer:)\s*/g, ' ')
                  .replace(/(?<=\nAnswer:|^Answer:)\n/g, ' '))
      .filter(Boolean)
      .join('\n\n')
      .replace(/\*\*(.+?)\*\*/g, '$1')
      .replace(/^Answer: /gm, answer)
      .replace(/^Discussion: (\d+) minutes?\.$/gm, (_, minutes) => discussion(minutes));
}

class SlideExpansion {
  constructor(deck, slide, index, problems, {read, root, out}) {
    Object.assign(this, {deck, slide, index, problems, read, root, out});
    this.file = slide.missing ? path.join(path.dirname(deck.file), 'deck.md') : deck.file;
    this.language = slide.missing ? original : deck.language;
    this.inSource = false;
    this.figures = new Map();
    this.tables = new Set();
    this.sources = [];
    this.body = [];
    this.directives = [];
    this.heading = [];
  }

  fail(line, sentence) {
    this.problems.add(this.file, line, sentence);
  }

  run() {
    const {lines} = this.slide;
    const borders = lines.filter((line) => line.kind === 'text' && line.text.trim() === '+++');
    const columns = this.slide.classes.includes('columns');
    if (columns && borders.length === 0)
      this.fail(this.slide.line, 'a slide of class columns has no line "+++"; put one between the left and the right');
    if (columns && borders.length > 1)
      this.fail(borders[1].number, 'a second "+++" on this slide; there are two columns');
    if (!columns && borders.length > 0)
      this.fail(borders[0].number, '"+++" outside a slide of class columns; add <!-- _class: columns -->');
    for (let i = 0; i < lines.length; ++i) {
      if (lines[i].kind === 'code')
        i = this.code(i);
      else if (lines[i].kind === 'comment')
        this.comment(lines[i]);
      else
        this.text(lines[i], columns);
    }
    const {slug, title} = this.slide;
    return {
      slug,
      title,
      language: this.language,
      file: this.file,
      line: this.slide.line,
      figures: this.figures,
      steps: this.steps(),
      notes: this.notes(),
      markdown: this.markdown(columns)
    };
  }

  // A fence and what it holds: as it is, or an include expanded. Returns the index of its last line.
  code(i) {
    const {lines} = this.slide;
    const fence = /^(`{3,}|~{3,})(.*)$/.exec(lines[i].text);
    let end = i + 1;
    while (end < lines.length && lines[end].kind === 'code' &&
           !new RegExp(`^${fence[1][0]}{${fence[1].length},}\\s*$`).test(lines[end].text))
      ++end;
    const body = lines.slice(i + 1, end).map((line) => line.text);
    const options = includeOptions(fence[2].trim());
    if (!options) {
      this.body.push(lines[i].text, ...body, lines[end]?.text ?? fence[1]);
      return end;
    }
    const {number} = lines[i];
    const code = this.read(options.include);
    if (body.some((line) => line.trim() !== ''))
      this.fail(number, 'a block that includes code has code of its own as well; leave its body empty');
    const unknown = Object.keys(options).find(
        (key) => !['language', 'include', 'function', 'from', 'to', 'without-comments'].includes(key));
    if (unknown)
      this.fail(number, `an include has no option "${unknown}"; there are function, from, to and without-comments`);
    if (code === null) {
      this.fail(number, `there is no file ${options.include} to include; paths begin at the root of the tree`);
      return end;
    }
    const selected = selectCode(code, options, options.include);
    if (selected.error)
      this.fail(number, selected.error);
    else
      this.body.push(
          '<div class="listing">', '', '````' + options.language, ...selected.lines, '````', '',
          `<p class="path">${options.include}</p>`, '', '</div>');
    return end;
  }

  comment(line) {
    if (/^\s*<!--\s*_[a-zA-Z]+:/.test(line.text)) this.directives.push(line.text);
  }

  text(line, columns) {
    if (line.number === this.slide.titleLine && this.slide.title) {
      this.heading.push(line.text, '');
      return;
    }
    const numbered = withNumbers(
        line.text, this.read, (file) => this.tables.add(file), (sentence) => this.fail(line.number, sentence));
    const text = linksFromPage(numbered, this.deck, this.root, this.out);
    if (columns && text.trim() === '+++') {
      this.body.push('', '</div><div>', '');
      return;
    }
    if (/^Source:\s/.test(text)) {
      this.sources.push(text.replace(/^Source:\s*/, '').trim());
      this.inSource = true;
      return;
    }
    this.inSource &&= text.trim() !== '';
    if (this.inSource) {
      this.sources.push(`${this.sources.pop()} ${text.trim()}`);
      return;
    }
    const picture = /^\s*!\[(.*)\]\(([^)\s]*)\)\s*$/.exec(text);
    if (picture)
      this.picture(picture[1], picture[2], line.number);
    else {
      if (text.replace(/`[^`]*`/g, '').includes('!['))
        this.fail(line.number, 'a figure shares its line with text; give it a line of its own');
      this.body.push(text);
    }
  }

  picture(alt, source, number) {
    if (alt.trim() === '') this.fail(number, `the figure ${source} has no alternative text; say in [ ] what it shows`);
    const id = `f${this.index + 1}-${this.figures.size + 1}-${
        path.basename(source, path.extname(source)).replace(/[^\w-]/g, '-')}`;
    const made =
        figure({source, alt, id, folder: this.deck.folder ?? slidesFolder, root: this.root, language: this.language});
    if (made.error) {
      this.fail(number, made.error);
      return;
    }
    this.figures.set(id, made.html);
    this.body.push('', `<div class="figure" data-figure="${id}"></div>`, '');
  }

  // How many steps the figures are shown in: what has data-step="2" appears at the second.
  steps() {
    const all = [...this.figures.values()].flatMap((html) => [...html.matchAll(/\sdata-step="([^"]*)"/g)]);
    const found = [...new Set(all.map((match) => match[1]))].sort((a, b) => a - b);
    if (found.some((step, i) => step !== String(i + 1)))
      this.fail(
          this.slide.titleLine,
          `the figures of this slide have the steps ${found.join(', ')}; data-step must count 1, 2, 3 … without gaps`);
    return found.length;
  }

  notes() {
    const {notes} = this.slide;
    if (!notes) return '';
    const lines = notes.text.split('\n').map(
        (text, i) => withNumbers(text, this.read, () => {}, (sentence) => this.fail(notes.line + 1 + i, sentence)));
    return unwrapped(lines.join('\n'), this.language);
  }

  markdown(columns) {
    const listed = this.sources.join(' ');
    const all = [...this.sources, ...[...this.tables].filter((file) => !listed.includes(file))];
    const source = all.length ?
        ['', '<div class="source">', '', `${languages[this.language].source}${all.join('; ')}`, '', '</div>'] :
        [];
    const body = columns ? ['<div class="columns"><div>', '', ...this.body, '', '</div></div>'] : this.body;
    return [...this.directives, '', ...this.heading, ...body, ...source, ...this.stateOfTranslation()].join('\n');
  }

  // On a page in another language: this slide is still in English, or its original has changed.
  stateOfTranslation() {
    const {outdated, missing} = languages[this.deck.language];
    const state = this.slide.missing ? missing : this.slide.outdated ? outdated : null;
    const page = `${path.basename(this.deck.folder)}.html#${this.slide.slug}`;
    return state ? ['', '<div class="state-of-translation">', '', `[${state}](${page})`, '', '</div>'] : [];
  }
}
