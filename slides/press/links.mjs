// Links of a deck: to its own slides, to those of other decks, to files of the tree.
import fs from 'node:fs';
import path from 'node:path';

import {original} from './languages.mjs';
import {slugOf} from './slug.mjs';

const linkPattern = /(?<!!)\[([^\]]*)\]\(([^)\s]*)(?:\s+"[^"]*")?\)/g;

export function linksOf(deck) {
  return deck.slides.filter(({missing}) => !missing)
      .flatMap(
          ({lines}) => lines.filter(({kind}) => kind === 'text')
                           .flatMap(
                               ({text, number}) => [...text.matchAll(linkPattern)].map(
                                   (match) => ({number, text: match[1], target: match[2]}))));
}

const isElsewhere = (target) => /^[a-z][a-z0-9+.-]*:/i.test(target);

export function checkLinks(deck, problems, root) {
  for (const {number, target} of linksOf(deck)) {
    const fault = faultOf(target, deck, root);
    if (fault) problems.add(deck.file, number, fault);
  }
}

function faultOf(target, deck, root) {
  if (target === '') return 'a link leads nowhere; write its target in ( )';
  if (isElsewhere(target))
    return /^https?:\/\/[^/]+/.test(target) ? null : `the link ${target} is neither http nor https`;
  const [place, anchor] = target.split('#');
  if (place === '')
    return deck.slides.some(({slug}) => slug === anchor) ?
        null :
        `no slide of this deck has the address #${anchor}; the addresses are made of titles`;
  const file = path.join(place.startsWith('/') ? root : deck.folder, place);
  if (!fs.existsSync(file))
    return `there is no file ${place}; links are relative to the deck, or begin with / at the root of the tree`;
  if (anchor && file.endsWith('.md')) {
    const titles = fs.readFileSync(file, 'utf8').split('\n').filter((line) => /^#+\s/.test(line));
    if (!titles.some((line) => slugOf(line.replace(/^#+\s+/, '')) === anchor))
      return `${place} has no heading with the address #${anchor}`;
  }
  return null;
}

// The page of the deck in a folder, in this language if it is translated.
function pageOf(folder, language) {
  const translated = language !== original && fs.existsSync(path.join(folder, `deck.${language}.md`));
  return `${path.basename(folder)}${translated ? `.${language}` : ''}.html`;
}

// A line of a deck with its links as they lead from the page in `out`: decks to their pages, files to where they lie.
export function linksFromPage(line, deck, root, out) {
  return line.replace(linkPattern, (whole, text, target) => {
    if (target === '' || target.startsWith('#') || isElsewhere(target)) return whole;
    const [place, anchor] = target.split('#');
    const file = path.join(place.startsWith('/') ? root : deck.folder, place);
    const suffix = anchor ? `#${anchor}` : '';
    if (path.basename(file) === 'deck.md') return `[${text}](${pageOf(path.dirname(file), deck.language)}${suffix})`;
    return `[${text}](${path.relative(out, file)}${suffix})`;
  });
}
