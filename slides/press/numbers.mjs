// Numbers from generated tables: {{file | row | column}}, {{ratio (…) / (…)}}.

const plain = (cell) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '').trim();

const cellsOf = (line) =>
    line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => cell.replace(/\\\|/g, '|'));

// All tables of a Markdown file: [{columns: […], rows: [[…], …]}, …], links and code marks taken off.
export function tablesOf(markdown) {
  const tables = [];
  const lines = markdown.split('\n');
  for (let i = 0; i + 1 < lines.length; ++i) {
    if (!/^\s*\|/.test(lines[i]) || !/^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/.test(lines[i + 1])) continue;
    const table = {columns: cellsOf(lines[i]).map(plain), rows: []};
    for (i += 2; i < lines.length && /^\s*\|/.test(lines[i]); ++i) table.rows.push(cellsOf(lines[i]).map(plain));
    tables.push(table);
  }
  return tables;
}

// `read` returns the text of a file of the tree, or null. Returns {value, file} or {error}.
export function lookUp(triple, read) {
  const [file, row, column, part, ...more] = triple.split('|').map((text) => text.trim());
  const number = part === undefined ? null : /^part (\d+)$/.exec(part);
  if (!column || more.length || (part !== undefined && !number))
    return {error: `{{${triple.trim()}}} is not "file | row | column" or "file | row | column | part N"`};
  const text = read(file);
  if (text === null) return {error: `there is no file ${file}; paths begin at the root of the tree`};
  const tables = tablesOf(text).filter((table) => table.columns.includes(column));
  if (tables.length === 0) {
    const known = [...new Set(tablesOf(text).flatMap((table) => table.columns))];
    return {error: `no table in ${file} has the column "${column}"; its columns: ${known.join(' | ') || 'none'}`};
  }
  const rows = tables.flatMap((table) => table.rows.map((cells) => ({cells, at: table.columns.indexOf(column)})));
  const exact = rows.filter(({cells}) => cells[0] === row);
  const matching = exact.length === 1 ? exact : rows.filter(({cells}) => cells[0].includes(row));
  if (matching.length !== 1)
    return {
      error: `${matching.length || 'no'} row${matching.length > 1 ? 's' : ''} of ${file} with the column "${column}" ${
          matching.length > 1 ? 'begin' : 'begins'} with a cell that contains "${row}"; exactly one must`
    };
  const cell = matching[0].cells[matching[0].at] ?? '';
  const parts = cell.split(' · ');
  if (number && !(number[1] >= 1 && number[1] <= parts.length))
    return {error: `"${cell}" in ${file} has ${parts.length} part${parts.length > 1 ? 's' : ''}, not ${number[1]}`};
  const value = number ? parts[number[1] - 1] : cell;
  return /[\p{L}\p{N}]/u.test(value) ? {value, file} : {error: `the cell "${row}", "${column}" of ${file} is empty`};
}

const scales = {
  n: 1e-9,
  µ: 1e-6,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  K: 1e3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30
};

// The first number of a cell with its unit: {amount, unit}, or null.
export function quantity(text) {
  const found =
      /(\d[\d,]*(?:\.\d+)?)(?:\s*(Ki|Mi|Gi|[nµumkKMGT])?(FLOP\/s|flop\/s|B\/s|items\/s|B|s|%)?(?![\p{L}\p{N}\/]))?/u
          .exec(text);
  if (!found) return null;
  const [, digits, prefix = '', unit = ''] = found;
  return {amount: Number(digits.replace(/,/g, '')) * scales[prefix], unit};
}

function ratio(text, read) {
  const found = /^ratio\s*\(([^()]*)\)\s*\/\s*\(([^()]*)\)$/.exec(text);
  if (!found) return {error: `{{${text}}} is not "ratio (file | row | column) / (file | row | column)"`};
  const [above, below] = [lookUp(found[1], read), lookUp(found[2], read)];
  if (above.error || below.error) return {error: above.error ?? below.error};
  const [a, b] = [quantity(above.value), quantity(below.value)];
  if (!a || !b) return {error: `"${a ? below.value : above.value}" in ${a ? below.file : above.file} holds no number`};
  if (a.unit !== b.unit)
    return {error: `"${above.value}" and "${below.value}" have different units; no ratio of them means anything`};
  if (b.amount === 0) return {error: `"${below.value}" is zero; no ratio to it means anything`};
  const quotient = a.amount / b.amount;
  return {
    value: quotient >= 100 ? String(Number(quotient.toPrecision(2))) : quotient.toPrecision(2),
    files: [above.file, below.file]
  };
}

// Replaces every {{…}} of a line; `found` hears of the file of each, `failed` of each error.
export function withNumbers(line, read, found, failed) {
  const open = line.lastIndexOf('{{');
  if (open > line.lastIndexOf('}}'))
    failed('a number begins with {{ and does not end in its line; put all of it on one');
  return line.replace(/\{\{([^{}]*)\}\}/g, (whole, text) => {
    const result = text.trim().startsWith('ratio') ? ratio(text.trim(), read) : lookUp(text, read);
    if (result.error) {
      failed(result.error);
      return whole;
    }
    for (const file of result.files ?? [result.file]) found(file);
    return result.value;
  });
}
