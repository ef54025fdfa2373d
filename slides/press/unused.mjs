// Files beside a deck that no slide shows: leftovers of figures that were drawn anew.
import fs from 'node:fs';
import path from 'node:path';

// `decks`: a deck and its translations, which share a folder.
export function checkUnused(decks, problems) {
  const slides = decks.flatMap((deck) => deck.slides);
  const shown =
      slides.flatMap(({lines}) => lines.filter(({kind}) => kind !== 'comment').map(({text}) => text)).join('\n');
  const languages = decks.map(({language}) => language);
  const [{folder, file}] = decks;
  for (const name of fs.readdirSync(folder).sort()) {
    const [, begin, language, end] = /^(.*)\.([\w-]+)(\.\w+)$/.exec(name) ?? [];
    const shownAs = languages.includes(language) ? begin + end : name;
    if (shownAs !== 'deck.md' && !shown.includes(shownAs))
      problems.add(path.join(path.dirname(file), name), 0, 'no slide shows this file; show it or delete it');
  }
}
