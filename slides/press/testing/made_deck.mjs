// Decks that tests write themselves.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {parseDeck} from '../deck.mjs';
import {expandDeck} from '../expand.mjs';
import {original} from '../languages.mjs';
import {Problems} from '../problem.mjs';

export const head = '---\nmarp: true\ntheme: lanewise\ntitle: "A test"\ndescription: "Does it?"\nlab: matmul\n---\n';

// A root of a tree with these files, removed when the test ends.
export function treeWith(t, files) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'lanewise-deck-'));
  t.after(() => fs.rmSync(root, {recursive: true, force: true}));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), {recursive: true});
    fs.writeFileSync(path.join(root, name), text);
  }
  return root;
}

// The deck of this text and what is wrong with it: {deck, expanded, sentences}.
export function made(text, root = os.tmpdir()) {
  const problems = new Problems();
  const place = {name: 'test', folder: path.join(root, 'deck'), file: 'deck.md', language: original};
  const deck = parseDeck(place, text, problems);
  const expanded = expandDeck(deck, problems, root, path.join(root, 'build/slides'));
  return {deck, expanded, problems, sentences: problems.sentences()};
}
