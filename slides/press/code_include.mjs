// Code from the tree: a function, or the lines from one text to another.

// The same text with comments, strings and preprocessor lines blanked out, so that braces can be counted.
export function masked(code) {
  const blank = (text) => text.replace(/[^\n]/g, ' ');
  return code
      .replace(
          /\/\/[^\n]*|\/\*[^]*?\*\/|R"\(([^]*?)\)"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)*'/g, blank)
      .replace(/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/gm, (directive) => `;${blank(directive).slice(1)}`);
}

// The index after the bracket that closes the one at `open`; -1 if none does.
function closing(text, open, [begin, end]) {
  let depth = 0;
  for (let i = open; i < text.length; ++i) {
    if (text[i] === begin) ++depth;
    if (text[i] === end && --depth === 0) return i + 1;
  }
  return -1;
}

// Where definitions of the function begin and end: [[begin, end], …], whole lines.
export function definitions(code, name) {
  const text = masked(code);
  const found = [];
  const call = new RegExp(`(?<![\\w.>:~])${name}\\s*\\(`, 'g');
  for (let match = call.exec(text); match; match = call.exec(text)) {
    const parameters = closing(text, text.indexOf('(', match.index), '()');
    if (parameters < 0) continue;
    const body = /^(?:\s|const|noexcept|override)*(?:->[^{;]*)?\{/.exec(text.slice(parameters));
    if (!body) continue;
    const end = closing(text, parameters + body[0].length - 1, '{}');
    if (end < 0) continue;
    const boundary = Math.max(...[';', '{', '}'].map((each) => text.lastIndexOf(each, match.index)));
    const start = boundary + 1 + text.slice(boundary + 1).search(/\S/);
    if (start >= match.index) continue;  // no return type: a call such as `if` or `while` has
    const lineStart = code.lastIndexOf('\n', start) + 1;
    const lineEnd = code.indexOf('\n', end);
    found.push([lineStart, lineEnd < 0 ? code.length : lineEnd]);
  }
  return found;
}

// Returns {lines} or {error}: a sentence without its place. `options`: function, from, to, without-comments.
export function selectCode(code, options, file) {
  let scope = code;
  let place = file;
  if (options.function) {
    const all = definitions(code, options.function);
    if (all.length !== 1)
      return {
        error: `${file} has ${all.length || 'no'} definition${all.length > 1 ? 's' : ''} of ${
            options.function}; name a function that is defined there exactly once`
      };
    scope = code.slice(...all[0]);
    place = `${options.function} in ${file}`;
  }
  let lines = scope.replace(/\n$/, '').split('\n');
  let covered = masked(scope).replace(/\n$/, '').split('\n');
  if (options.from !== undefined || options.to !== undefined) {
    const range = between(lines, options, place);
    if (range.error) return range;
    lines = lines.slice(range.begin, range.end);
    covered = covered.slice(range.begin, range.end);
  }
  if (options['without-comments'])
    lines = lines.filter((line, i) => covered[i].trim() !== '' || line.trim() === '' || /^\s*#/.test(line));
  return {lines: dedented(trimmed(lines))};
}

function between(lines, {from, to}, place) {
  if (from === undefined) return {error: 'to="…" without from="…"; say where the lines begin'};
  const begins = lines.flatMap((line, i) => (line.includes(from) ? [i] : []));
  if (begins.length !== 1)
    return {
      error: `the text from="${from}" stands in ${begins.length || 'no'} line${begins.length > 1 ? 's' : ''} of ${
          place}; choose a text of exactly one line`
    };
  if (to === undefined || to === from) return {begin: begins[0], end: begins[0] + 1};
  const end = lines.findIndex((line, i) => i > begins[0] && line.includes(to));
  if (end < 0) return {error: `the text to="${to}" does not come after from="${from}" in ${place}`};
  return {begin: begins[0], end: end + 1};
}

function trimmed(lines) {
  const all = lines.map((line) => line.replace(/\s+$/, ''));
  while (all.length && all[0] === '') all.shift();
  while (all.length && all.at(-1) === '') all.pop();
  return all.filter((line, i) => line !== '' || all[i - 1] !== '');
}

// A directive such as #pragma stands at the margin, however deep its loop is. But the lines of a macro belong below its
// #define, which ends with a backslash.
function dedented(lines) {
  const indent = (line) => /^ */.exec(line)[0].length;
  const counts = (line) => line !== '' && (line[0] !== '#' || line.endsWith('\\'));
  const common = Math.min(...lines.filter(counts).map(indent));
  return lines.map((line) => line.slice(Math.min(common, indent(line))));
}

// `cuda include="a.cu" function="f" without-comments` as {language, include, function, …}; null if it includes nothing.
export function includeOptions(info) {
  if (!/\sinclude=/.test(info)) return null;
  const options = {language: /^\S*/.exec(info)[0]};
  for (const [, key, value] of info.slice(options.language.length).matchAll(/([\w-]+)(?:="((?:[^"\\]|\\.)*)")?/g))
    options[key] = value === undefined ? true : value.replace(/\\(["\\])/g, '$1');
  return options;
}
