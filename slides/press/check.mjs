// Everything that is checked of decks, in one go.
import path from 'node:path';

import {original} from './languages.mjs';
import {checkLayout} from './layout.mjs';
import {checkLinks} from './links.mjs';
import {checkSpelling, readWords} from './spelling.mjs';
import {checkStructure} from './structure.mjs';
import {relative, root, slides} from './tree.mjs';
import {checkUnused} from './unused.mjs';

export async function checkDecks(decks, problems, say) {
  const file = path.join(slides, 'words.txt');
  const words = readWords(file, problems, relative(file));
  for (const {deck} of decks) {
    checkStructure(deck, problems, root);
    checkLinks(deck, problems, root);
    if (deck.language !== original) continue;
    checkUnused(decks.map((each) => each.deck).filter(({folder}) => folder === deck.folder), problems);
    checkSpelling(deck, problems, words);
  }
  if (decks.length > 0) await checkLayout(decks, problems, say);
}
