// Spelling of slides and notes, British as in the whole tree; words.txt holds what the dictionary does not know.
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';

import {Missing} from './problem.mjs';

// What of a line is prose: no code, no addresses, no formulas, no numbers from tables.
export function prose(line) {
  return line.replace(/`[^`]*`/g, ' ')
      .replace(/\{\{[^{}]*\}\}/g, ' ')
      .replace(/\$[^$\s](?:[^$]*[^$\s])?\$/g, ' ')
      .replace(/\]\([^)]*\)/g, '] ')
      .replace(/https?:\/\/\S+/g, ' ')
      .replace(/<!--|-->|<[^>]*>|&\w+;/g, ' ')
      .replace(/\S*[/\\]\S*\.\w+|\b\w+\.(?:cu|cuh|cpp|h|md|toml|svg|html)\b/g, ' ')
      .replace(/\b\w*[_0-9]\w*\b|\b[a-z]+[A-Z]\w*\b/g, ' ')
      .replace(/’/g, '\'')
      .replace(/'s\b/g, ' ');
}

export function proseLines(deck) {
  const lines = [{number: 1, text: prose(`${deck.meta.title ?? ''} ${deck.meta.description ?? ''}`)}];
  for (const slide of deck.slides) {
    for (const {kind, number, text} of slide.lines)
      if (kind === 'text' || (kind === 'comment' && !/^\s*<!--\s*_\w+:/.test(text)))
        lines.push({number, text: prose(text.replace(/<!--\s*notes:/, ' '))});
  }
  return lines;
}

export function readWords(file, problems, name) {
  if (!fs.existsSync(file)) return new Set();
  const words = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const sorted = [...new Set(words)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (sorted.join('\n') !== words.join('\n'))
    problems.add(name, 0, `the words are not sorted, or one is there twice; run  LC_ALL=C sort -u -o ${name} ${name}`);
  return new Set(words);
}

// Only for originals: Aspell has no dictionary for Chinese.
export function checkSpelling(deck, problems, known) {
  const lines = proseLines(deck);
  const aspell = spawnSync(
      'aspell', ['list', '--lang=en_GB', '--encoding=utf-8'],
      {input: lines.map(({text}) => text).join('\n'), encoding: 'utf8'});
  if (aspell.error || aspell.status !== 0)
    throw new Missing(`aspell with its English dictionary was not found; run  scripts/prepare.sh slides${
        aspell.stderr ? ` (${aspell.stderr.trim()})` : ''}`);
  const unknown =
      new Set(aspell.stdout.split('\n').filter((word) => word && !known.has(word) && !known.has(word.toLowerCase())));
  for (const word of unknown) {
    const whole = new RegExp(`(?<![\\p{L}'])${word}(?![\\p{L}])`, 'u');
    const line = lines.find(({text}) => whole.test(text)) ?? lines.find(({text}) => text.includes(word)) ?? lines[0];
    problems.add(
        deck.file, line.number,
        `"${word}" is in no dictionary; mend it, put it in \`…\` if it is code, or add it to slides/words.txt`);
  }
}
