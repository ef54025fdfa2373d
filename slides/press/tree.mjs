// Where things lie.
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {Usage} from './problem.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const slides = path.join(root, 'slides');

export const relative = (file) => path.relative(root, file);

// The folders of decks, sorted: all of slides/decks, or those named by folder, by deck.md or by name.
export function deckFolders(names, folder = path.join(slides, 'decks')) {
  if (names.length > 0) return names.map((name) => namedDeck(name, folder));
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).sort().map((name) => path.join(folder, name)).filter(isDeck);
}

const isDeck = (folder) => fs.existsSync(path.join(folder, 'deck.md'));

function namedDeck(name, folder) {
  for (const place of [path.resolve(name), path.dirname(path.resolve(name)), path.join(folder, name)])
    if (isDeck(place)) return place;
  const all = fs.existsSync(folder) ? fs.readdirSync(folder).filter((each) => isDeck(path.join(folder, each))) : [];
  const close = all.filter((each) => each.includes(name));
  if (close.length === 1) return path.join(folder, close[0]);
  throw new Usage(`there is no deck '${name}'; there are: ${all.sort().join(', ') || 'none'}`);
}
