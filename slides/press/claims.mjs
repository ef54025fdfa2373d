// Numbers in the tree's texts, held against the tables that they come from. Each solutions/LAB/claims.toml says which
// phrases of which files lean on which cells; what a cell says otherwise today is rewritten, or named as a mistake.
//
// The texts stay plain: whoever reads them sees numbers, not references.
import fs from 'node:fs';
import path from 'node:path';
import {parse} from 'smol-toml';

import {quantity, tablesOf} from './numbers.mjs';
import {Usage} from './problem.mjs';

const units = {
  nanoseconds: 'ns',
  microseconds: 'µs',
  milliseconds: 'ms',
  seconds: 's',
  '%': '%',
  'per cent': '%'
};
const scaleOf = (unit) => (unit ? quantity(`1 ${units[unit] ?? unit}`).amount : 1);

// --- where a number comes from ---

// The part of a Markdown file between <!-- ladder of NAME --> and its end; all of it without a name.
function sectionOf(text, name) {
  if (!name) return text;
  const begin = text.indexOf(`<!-- ladder of ${name} -->`);
  return begin < 0 ? '' : text.slice(begin, text.indexOf('<!-- end of ladder', begin));
}

// "FILE # SECTION / FIRST COLUMN | COLUMN | part N", of which the section, the first column and the part may be absent.
// Returns a function from a row to its number.
function column(spec, read) {
  const form = /^([^#|]+?)(?: # (\w+))?(?: \/ ([^|]+?))? \| ([^|]+?)(?: \| part (\d+))?$/.exec(spec);
  if (!form) throw new Error(`"${spec}" is not "FILE # SECTION / FIRST COLUMN | COLUMN | part N"`);
  const [, file, section, first, name, part] = form;
  const text = read(file);
  if (text === null) throw new Error(`there is no file ${file}`);
  const tables = tablesOf(sectionOf(text, section))
                     .filter(({columns}) => columns.includes(name) && (!first || columns[0] === first));
  if (tables.length !== 1)
    throw new Error(`${tables.length || 'no'} tables of ${file} fit "${spec}"; exactly one must`);
  const [{columns, rows}] = tables;
  return (row) => {
    const found = rows.filter(([cell]) => cell === row || cell.split('/').pop().startsWith(`${row}_`));
    if (found.length !== 1)
      throw new Error(`${found.length || 'no'} rows of "${spec}" are ${row}; exactly one must be`);
    const cell = found[0][columns.indexOf(name)];
    const value = quantity(part ? cell.split(' · ')[part - 1] ?? '' : cell);
    if (!value) throw new Error(`the cell ${row} of "${spec}" holds no number: "${cell}"`);
    return value.unit === '%' ? value.amount / 100 : value.amount;
  };
}

// "FILE.toml : key.0.key UNIT"
function tomlValue(spec, read) {
  const form = /^(\S+\.toml) : (\S+)(?: (\S+))?$/.exec(spec);
  if (!form) throw new Error(`"${spec}" is not "FILE.toml : key.0.key UNIT"`);
  const text = read(form[1]);
  if (text === null) throw new Error(`there is no file ${form[1]}`);
  const value = form[2].split('.').reduce((at, key) => at?.[key], parse(text));
  if (typeof value !== 'number') throw new Error(`${form[1]} has no number ${form[2]}`);
  return value * scaleOf(form[3]);
}

// --- expressions: map(4) / map(1), 12 * 2^28 / copy, queue(5) > queue(4) ---

const tokensOf = (text) => text.match(/[A-Za-z_]\w*(?:\([^()]*\))?|\d[\d.]*(?:e-?\d+)?|[-+*/^()<>]|\S/g) ?? [];

class Reader {
  constructor(text, names) {
    [this.text, this.names, this.tokens] = [text, names, tokensOf(text)];
  }

  takes(...symbols) {
    return symbols.includes(this.tokens[0]) ? this.tokens.shift() : null;
  }

  fails(why) {
    throw new Error(`"${this.text}": ${why}`);
  }

  value() {
    const value = this.sum();
    if (this.tokens.length) this.fails(`"${this.tokens[0]}" was not expected`);
    return value;
  }

  sum() {
    let left = this.product();
    for (let sign; (sign = this.takes('+', '-'));) left = sign === '+' ? left + this.product() : left - this.product();
    return left;
  }

  product() {
    let left = this.power();
    for (let sign; (sign = this.takes('*', '/'));) left = sign === '*' ? left * this.power() : left / this.power();
    return left;
  }

  power() {
    const base = this.single();
    return this.takes('^') ? base ** this.single() : base;
  }

  single() {
    const token = this.tokens.shift() ?? this.fails('something is missing at the end');
    if (token === '(') {
      const value = this.sum();
      return this.takes(')') ? value : this.fails('a parenthesis is not closed');
    }
    if (/^\d/.test(token)) return Number(token);
    const call = /^([A-Za-z_]\w*)(?:\((.*)\))?$/.exec(token) ?? this.fails(`"${token}" was not expected`);
    const meant = this.names.get(call[1]) ?? this.fails(`nothing is called ${call[1]}`);
    if ((typeof meant === 'function') !== (call[2] !== undefined))
      this.fails(`${call[1]} is ${call[2] === undefined ? 'a column: name a row' : 'a single value'}`);
    return call[2] === undefined ? meant : meant(call[2].trim());
  }
}

const evaluate = (text, names) => new Reader(text, names).value();

// "a < b < c": whether each comparison of neighbours holds.
function holds(text, names) {
  const pieces = text.split(/([<>])/);
  if (pieces.length < 3) throw new Error(`"${text}" compares nothing`);
  const values = pieces.filter((_, i) => i % 2 === 0).map((piece) => evaluate(piece, names));
  return values.slice(1).every((value, i) => (pieces[2 * i + 1] === '<' ? values[i] < value : values[i] > value));
}

// --- phrases ---

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// A phrase goes on over the ends of lines, and over what makes these lines comments.
const gap = String.raw`\s+(?:(?://+|#+|>)[ \t]+)?`;

function patternOf(phrase) {
  const words = phrase.trim().split(/\s+/).join(' ');
  const source = words.split(/(\{[^{}]*\})/)
                     .map((piece) => {
                       const slot = /^\{(\d[\d,]*(?:\.\d+)?)(.*)\}$/.exec(piece);
                       const literal = (text) => text.split(' ').map(escaped).join(gap);
                       return slot ? String.raw`(\d+(?:,\d{3})*(?:\.\d+)?)${literal(slot[2])}` : literal(piece);
                     })
                     .join('');
  return new RegExp(source, 'dg');
}

// What stands in braces: {3.0 ms}, {29}, {4.6 microseconds}, {31 %}.
const slotsOf = (phrase) => [...phrase.matchAll(/\{\d[\d,]*(?:\.\d+)?\s*([^{}]*)\}/g)].map(([, unit]) => unit.trim());

// `amount` as precisely as `shown` is: as many decimals; of a whole number, as many digits before its zeros.
export function inTheFormOf(shown, amount) {
  const [whole, decimals] = shown.replace(/,/g, '').split('.');
  const grouped = (text) =>
      (shown.includes(',') || Number(text) >= 10000 && /,/.test(shown) ? text.replace(/\B(?=(?:\d{3})+(?!\d))/g, ',') :
                                                                         text);
  if (decimals !== undefined) return grouped(amount.toFixed(decimals.length));
  const zeros = /0*$/.exec(whole)[0].length;
  const step = whole.length > zeros ? 10 ** zeros : 1;
  return grouped(String(Math.round(amount / step) * step));
}

const lineOf = (text, index) => text.slice(0, index).split('\n').length;

// One claim of `file`: numbers that differ go into `changes`, everything else that is wrong into `failed`.
function checkClaim(claim, text, names, {changes, covered, failed}) {
  const matches = [...text.matchAll(patternOf(claim.text))];
  if (matches.length === 0 || (matches.length > 1 && !claim.everywhere))
    return failed(0, `"${claim.text}" is there ${matches.length} times; once is expected`);
  for (const match of matches) {
    const line = lineOf(text, match.index);
    covered.push([match.index, match.index + match[0].length]);
    for (const comparison of claim.holds ?? [])
      if (!holds(comparison, names)) failed(line, `"${claim.text}" no longer holds: ${comparison} is false`);
    const slots = slotsOf(claim.text);
    if (claim.because) continue;
    const from = claim.from ?? [];
    if (from.length !== slots.length)
      return failed(
          line, `"${claim.text}" has ${slots.length} numbers in braces, and 'from' says where ${from.length} are from`);
    from.forEach((expression, i) => {
      const amount = evaluate(expression, names) / scaleOf(slots[i]) / (units[slots[i]] === '%' ? 1 / 100 : 1);
      const shown = match[i + 1];
      const now = inTheFormOf(shown, amount);
      if (now !== shown) changes.push({at: match.indices[i + 1], line, shown, now, expression});
    });
  }
}

// --- what has to be claimed ---

// Times and rates in prose, and what is said to be so many times as fast.
const measured =
    /(?<![\w.])\d[\d,]*(?:\.\d+)?(?: (?:and|to|or|against) \d[\d,]*(?:\.\d+)?)? (?:ns|µs|ms|nanoseconds|microseconds|milliseconds|[GT]B\/s|TFLOP\/s)\b|(?<!\d )\bx \d+(?:\.\d+)?|\d+(?:\.\d+)? times (?:as|faster|slower)\b/g;

// A generated table is its own source, and code is not prose.
function withoutGenerated(text) {
  const blank = (part) => part.replace(/[^\n]/g, ' ');
  return text.replace(/<!-- ladder of [^]*?<!-- end of ladder[^]*?-->/g, blank).replace(/^```[^]*?^```/gm, blank);
}

// Of CUDA source the comments before the first line of code.
function headerOf(text) {
  const end = text.search(/^(?!\/\/)/m);
  return end < 0 ? text : text.slice(0, end);
}

const proseOf = (file, text) => (file.endsWith('.md') ? withoutGenerated(text) : headerOf(text));

// Markdown of a lab and of its solutions, and the headers of the steps.
function textsOf(root, lab) {
  const folder = path.join(root, 'solutions', lab);
  const steps = fs.readdirSync(folder, {recursive: true}).filter((name) => /(^|\/)\d+_\w+\.cu$/.test(name)).sort();
  return [`labs/${lab}/README.md`, `solutions/${lab}/README.md`, ...steps.map((name) => `solutions/${lab}/${name}`)];
}

// --- all of it ---

function checkLab(root, lab, write, problems) {
  const file = `solutions/${lab}/claims.toml`;
  const read = (name) => {
    const at = path.join(root, name);
    return fs.existsSync(at) ? fs.readFileSync(at, 'utf8') : null;
  };
  const names = new Map();
  let claims;
  try {
    claims = parse(read(file));
    for (const [name, spec] of Object.entries(claims.column ?? {})) names.set(name, column(spec, read));
    for (const [name, spec] of Object.entries(claims.value ?? {}))
      names.set(name, typeof spec === 'number' ? spec : tomlValue(spec, read));
  } catch (error) {
    problems.add(file, 0, error.message);
    return 0;
  }
  const texts =
      new Map([...textsOf(root, lab), ...(claims.claim ?? []).map((each) => each.in)].map((each) => [each, []]));
  for (const claim of claims.claim ?? []) texts.get(claim.in).push(claim);
  let rewritten = 0;
  for (const [name, own] of texts) {
    const text = read(name);
    if (text === null) {
      problems.add(file, 0, `there is no file ${name}`);
      continue;
    }
    const seen = {changes: [], covered: [], failed: (line, sentence) => problems.add(name, line, sentence)};
    for (const claim of own) {
      try {
        checkClaim(claim, text, names, seen);
      } catch (error) {
        problems.add(file, 0, `${error.message} (of "${claim.text}")`);
      }
    }
    for (const found of proseOf(name, text).matchAll(measured))
      if (!seen.covered.some(([from, to]) => from <= found.index && found.index < to))
        problems.add(name, lineOf(text, found.index), `no claim in ${file} says where "${found[0]}" comes from`);
    if (!write) {
      for (const {line, shown, now, expression} of seen.changes)
        problems.add(name, line, `${shown} is ${now} today (${expression}); 'press.mjs numbers --write' writes it`);
    } else if (seen.changes.length) {
      let after = text;
      for (const {at: [from, to], now} of seen.changes.sort((a, b) => b.at[0] - a.at[0]))
        after = after.slice(0, from) + now + after.slice(to);
      fs.writeFileSync(path.join(root, name), after);
      rewritten += seen.changes.length;
    }
  }
  return rewritten;
}

// Checks the claims of these labs, or of all that have solutions; with `write`, puts today's numbers into the texts.
// Returns how many were rewritten.
export function checkNumbers(root, wanted, write, problems) {
  const folder = path.join(root, 'solutions');
  const known = fs.readdirSync(folder).filter((lab) => fs.existsSync(path.join(folder, lab, 'README.md'))).sort();
  const unknown = wanted.find((lab) => !known.includes(lab));
  if (unknown) throw new Usage(`there is no lab '${unknown}'; there are: ${known.join(', ')}`);
  const labs = wanted.length ? wanted : known;
  let rewritten = 0;
  for (const lab of labs) {
    if (fs.existsSync(path.join(folder, lab, 'claims.toml')))
      rewritten += checkLab(root, lab, write, problems);
    else
      problems.add(
          `solutions/${lab}/claims.toml`, 0, 'it is missing: it says where the numbers in the lab\'s texts come from');
  }
  return rewritten;
}
