// Files beside a deck that no slide shows: leftovers of figures that were drawn anew.
import fs from 'node:fs';
import path from 'node:path';

export function checkUnused(deck, problems) {
  const shown =
      deck.slides.flatMap(({lines}) => lines.filter(({kind}) => kind !== 'comment').map(({text}) => text)).join('\n');
  for (const name of fs.readdirSync(deck.folder).sort())
    if (name !== 'deck.md' && !shown.includes(name))
      problems.add(path.join(path.dirname(deck.file), name), 0, 'no slide shows this file; show it or delete it');
}
