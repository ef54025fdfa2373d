// The command line of the press: node slides/press/press.mjs --help
import fs from 'node:fs';
import path from 'node:path';

import {expandDeck} from './expand.mjs';
import {Missing, Problems, Usage} from './problem.mjs';
import {useOwnTemporaryFolder} from './temporary_folder.mjs';
import {readDecks, stamp} from './translation.mjs';
import {deckFolders, root, slides} from './tree.mjs';

const help = `Makes slides of the decks in slides/decks, and checks them.

Usage:
  node slides/press/press.mjs build [--format html,pdf,pptx,handout,png] [--out DIR] [--dark] [DECK ...]
  node slides/press/press.mjs check [DECK ...]
  node slides/press/press.mjs translated [DECK | DECK#ADDRESS ...]
  node slides/press/press.mjs numbers [--write] [LAB ...]

  translated     records in new slides of a deck.LANGUAGE.md which text they were translated from, so that \`check\`
                 warns when it changes; with #ADDRESS in that slide only, after an update
  DECK           a folder with a deck.md, or the name of one in slides/decks or a part of it; else all
  --format LIST  what to make; else html
  --out DIR      where to; else build/slides
  --dark         pictures (png) in the dark scheme
  --write        write today's numbers into the texts of labs and solutions (solutions/LAB/claims.toml says which),
                 instead of naming those that differ

Examples:
  node slides/press/press.mjs build                           build/slides/index.html and a page for each deck
  node slides/press/press.mjs build --format png 05_memory    one picture a slide, to look at
  node slides/press/press.mjs build --format html,pdf,pptx,handout  what \`make slides\` makes
  node slides/press/press.mjs check 02_data_parallelism       everything that can be checked of one deck
  node slides/press/press.mjs translated 02#kernels           this slide's translation is up to date again
  node slides/press/press.mjs numbers --write                 after \`lanewise bench\` has measured again

Exit code: 0 done; 1 a deck or a text has a mistake; 2 the command line has one; 3 something is missing on this machine.`;

const say = (text) => console.log(`slides: ${text}`);

function parsed(words) {
  const options =
      {command: '', formats: ['html'], out: path.join(root, 'build/slides'), dark: false, write: false, decks: []};
  const value = (word) => {
    if (words.length === 0 || words[0].startsWith('--')) throw new Usage(`${word} needs a value`);
    return words.shift();
  };
  options.command = words.shift();
  while (words.length > 0) {
    const [word, given] = splitAt(words.shift());
    if (given !== undefined) words.unshift(given);
    if (word === '--format')
      options.formats = value(word).split(',').map((each) => each.trim()).filter(Boolean);
    else if (word === '--out')
      options.out = path.resolve(value(word));
    else if (word === '--dark')
      options.dark = true;
    else if (word === '--write')
      options.write = true;
    else if (word.startsWith('-'))
      throw new Usage(`there is no option ${word}`);
    else
      options.decks.push(word);
  }
  return options;
}

const splitAt = (word) =>
    (/^--[a-z]+=/.test(word) ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word]);

function opened({decks: names, out}) {
  const problems = new Problems();
  const decks = deckFolders(names)
                    .flatMap((folder) => readDecks(folder, problems))
                    .map((deck) => ({deck, expanded: expandDeck(deck, problems, root, out)}));
  for (const sentence of problems.sentences(problems.warnings)) console.error(`warning: ${sentence}`);
  return {decks, problems};
}

function tell(problems) {
  for (const sentence of problems.sentences()) console.error(sentence);
  const count = problems.list.length;
  console.error(`slides: ${count} mistake${count === 1 ? '' : 's'}`);
  return 1;
}

async function build(options) {
  const {formats, press} = await import('./formats.mjs');
  const unknown = options.formats.find((each) => !formats.includes(each));
  if (unknown || options.formats.length === 0)
    throw new Usage(`there is no format '${unknown ?? ''}'; there are ${formats.join(', ')}`);
  const {decks, problems} = opened(options);
  if (problems.any) return tell(problems);
  const {finishedPage, indexPage} = await import('./pages.mjs');
  await press(decks, options.formats, options.out, {dark: options.dark, say, finishHtml: finishedPage});
  if (options.formats.includes('html') && options.decks.length === 0) {
    fs.writeFileSync(path.join(options.out, 'index.html'), indexPage(decks, options.out));
    say(path.relative(root, path.join(options.out, 'index.html')));
  }
  return 0;
}

async function check(options) {
  const {checkDecks} = await import('./check.mjs');
  const {decks, problems} = opened(options);
  await checkDecks(decks, problems, say);
  if (problems.any) return tell(problems);
  say(`${decks.length} deck${decks.length === 1 ? '' : 's'} without a mistake`);
  return 0;
}

function translated({decks: names}) {
  const problems = new Problems();
  for (const name of names.length > 0 ? names : ['']) {
    const [deck, address] = name.split('#');
    const translations = deckFolders(deck ? [deck] : []).flatMap((folder) => readDecks(folder, problems).slice(1));
    const counts = translations.map((each) => [each, stamp(each, address)]);
    if (address && !counts.some(([, count]) => count > 0))
      throw new Usage(`no translation of ${deck} has a slide #${address} that the original has, too`);
    if (counts.length === 0) say(`no deck.LANGUAGE.md lies beside the deck.md of ${deck || 'any deck'}`);
    for (const [{file}, count] of counts) say(`${file}: ${count} slide${count === 1 ? '' : 's'} marked as up to date`);
  }
  return problems.any ? tell(problems) : 0;
}

async function numbers({write, decks: labs}) {
  const {checkNumbers} = await import('./claims.mjs');
  const problems = new Problems();
  const rewritten = checkNumbers(root, labs, write, problems);
  if (rewritten) say(`${rewritten} number${rewritten === 1 ? '' : 's'} rewritten`);
  if (problems.any) return tell(problems);
  say(`every measured number in the texts of ${labs.join(', ') || 'all labs'} is what the tables say`);
  return 0;
}

async function main(words) {
  if (words.includes('--help') || words.includes('-h')) {
    console.log(help);
    return 0;
  }
  if (!fs.existsSync(path.join(slides, 'node_modules/@marp-team/marp-cli')))
    throw new Missing('the packages of slides/package.json are not installed; run  cd slides && npm ci');
  const commands = {build, check, translated, numbers};
  if (!Object.hasOwn(commands, words[0] ?? ''))
    throw new Usage(
        words.length ? `there is no command '${words[0]}'; there are build, check, translated and numbers` :
                       'name a command: build, check, translated or numbers');
  const options = parsed(words);
  useOwnTemporaryFolder();
  return commands[options.command](options);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`slides: ${error.message}`);
  if (error instanceof Usage) console.error('        node slides/press/press.mjs --help tells more');
  process.exitCode = error instanceof Usage ? 2 : error instanceof Missing ? 3 : 1;
  if (process.exitCode === 1 && process.env.LANEWISE_DEBUG) console.error(error.stack);
}
