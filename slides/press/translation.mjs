// A deck in another language: which slide of the original each of its slides translates, and whether that has changed
// since. deck.zh-CN.md lies beside deck.md, and each of its slides begins with <!-- original: ADDRESS HASH -->.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import {parseDeck, readDeck} from './deck.mjs';
import {figureFile, figureIn} from './figures.mjs';
import {languages, original} from './languages.mjs';
import {relative, root} from './tree.mjs';

// The deck of a folder, and its translations.
export function readDecks(folder, problems) {
  const deck = readDeck(folder, problems);
  const found = fs.readdirSync(folder).map((name) => /^deck\.(.+)\.md$/.exec(name)).filter(Boolean);
  return [deck, ...found.flatMap(([name, language]) => readTranslation(deck, name, language, problems) ?? [])];
}

function readTranslation(deck, name, language, problems) {
  const file = relative(path.join(deck.folder, name));
  if (!Object.hasOwn(languages, language) || language === original) {
    const known = Object.keys(languages).filter((each) => each !== original);
    problems.add(
        file, 0,
        `the press does not know the language "${language}"; it knows ${known.join(', ')} (press/languages.mjs)`);
    return null;
  }
  const text = fs.readFileSync(path.join(deck.folder, name), 'utf8').replace(/\r\n/g, '\n');
  return translationOf(deck, {name: `${deck.name}.${language}`, folder: deck.folder, file, language}, text, problems);
}

export function translationOf(deck, place, text, problems) {
  const translation = parseDeck(place, text, problems);
  for (const slide of translation.slides) {
    const from = deck.slides.find(({slug}) => slug === slide.slug);
    if (!slide.original) continue;
    slide.original.now = from && slideHash(deck, from, place.language);
    slide.outdated = Boolean(from && slide.original.hash && slide.original.hash !== slide.original.now);
    const {slug, hash, line} = slide.original;
    if (!from)
      problems.warn(
          place.file, line,
          `the original no longer has a slide #${slug}; name the one that this slide translates, or delete it`);
    else if (!hash)
      problems.warn(
          place.file, line,
          `this slide does not record what it was translated from; when it is done, run  ${command(deck)}`);
    else if (slide.outdated)
      problems.warn(
          place.file, line,
          `the original of this slide (${deck.file}:${from.line}) has changed since; update it, then run  ${
              command(deck)}#${slug}`);
  }
  return {...translation, slides: withMissing(deck, translation, problems)};
}

const command = (deck) => `node slides/press/press.mjs translated ${deck.name}`;

// A slide that is not translated yet is shown in the original, after the slide that it follows there.
function withMissing(deck, {slides, file}, problems) {
  const all = [...slides];
  deck.slides.forEach((slide, i) => {
    if (all.some(({slug}) => slug === slide.slug)) return;
    problems.warn(
        file, 0,
        `the slide #${slide.slug} (${deck.file}:${slide.line}) is not translated; the page shows the original`);
    const before = i === 0 ? -1 : all.findIndex(({slug}) => slug === deck.slides[i - 1].slug);
    all.splice(before + 1, 0, {...slide, missing: true});
  });
  return all;
}

// Changes when the slide, its notes or a figure of it that has a translation changes; the first slide stands for the
// deck's title and description, too. Lines may be wrapped anew.
export function slideHash(deck, slide, language) {
  const text = slide.lines.map((line) => line.text).join('\n').trim();
  const parts = slide === deck.slides[0] ? [deck.meta.title, deck.meta.description, text] : [text];
  for (const [, source] of text.matchAll(/!\[.*\]\(([^)\s]*)\)/g)) {
    const file = figureFile(source, deck.folder, root);
    if (figureIn(language, file) !== file && fs.existsSync(file)) parts.push(fs.readFileSync(file, 'utf8'));
  }
  return crypto.createHash('sha256').update(parts.join('\n').replace(/\s+/g, ' ')).digest('hex').slice(0, 8);
}

// Records what slides were translated from: those that do not say so yet, or the one with this address. Returns how
// many were marked.
export function stamp(translation, address) {
  const file = path.join(root, translation.file);
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  const chosen = translation.slides.filter(
      ({missing, original: from}) => !missing && from?.now && (address ? from.slug === address : !from.hash));
  for (const {original: from} of chosen) lines[from.line - 1] = `<!-- original: ${from.slug} ${from.now} -->`;
  if (chosen.length > 0) fs.writeFileSync(file, lines.join('\n'));
  return chosen.length;
}
