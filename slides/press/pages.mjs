// The web pages around the slides: what is added to each deck's page, and the index of all.
import fs from 'node:fs';
import path from 'node:path';

import {languages, original} from './languages.mjs';
import {minutes} from './notes.mjs';
import {plainTitle} from './slug.mjs';
import {root} from './tree.mjs';

const keys = fs.readFileSync(new URL('./page_keys.js', import.meta.url), 'utf8');
const style = fs.readFileSync(new URL('./index_page.css', import.meta.url), 'utf8');

const escaped = (text) =>
    String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const script = (slugs) => `<script>${keys.trim()}(${JSON.stringify(slugs).replace(/</g, '\\u003c')});</script>`;

// Layers of figures whose step has not come yet; the overview, paper and a page without JavaScript show all.
function stepRules(slides) {
  const last = Math.max(...slides.map(({steps}) => steps));
  const rules = Array.from({length: last}, (_, i) => {
    const mark = `[data-marpit-fragment="${i + 1}"][data-bespoke-marp-fragment="inactive"]`;
    return `body:not([data-bespoke-view="overview"]) ${mark}~* [data-step="${i + 1}"]{visibility:hidden}`;
  });
  return rules.length ? `<style>@media screen{${rules.join('')}}</style>` : '';
}

// Marp's page of a deck, with our keys before its own script runs.
export function finishedPage(html, deck, expanded) {
  const added = stepRules(expanded.slides) + script(expanded.slides.map(({slug}) => slug));
  return html.replace('</head>', () => `${added}</head>`);
}

export function indexPage(decks, out) {
  const inFolder = (folder) => decks.map(({deck}) => deck).filter((each) => each.folder === folder);
  const articles = decks.filter(({deck}) => deck.language === original)
                       .map(({deck, expanded}) => article(deck, expanded, inFolder(deck.folder).slice(1), out))
                       .join('\n');
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lanewise slides</title>
<style>
${style}</style>
${script([])}
</head>
<body>
<main>
<h1>Lanewise slides</h1>
<p>One deck a lecture, with speaker notes. In a deck: arrow keys turn pages, <kbd>p</kbd> opens the presenter's view with the notes,
<kbd>f</kbd> fills the screen, <kbd>d</kbd> turns dark on and off, here as well.</p>
${articles}
</main>
</body>
</html>
`;
}

// Links to the formats in which a deck exists.
function links(deck, out) {
  const link = (ending, text) => {
    const name = `${deck.name}${ending}`;
    return fs.existsSync(path.join(out, name)) ? `<a href="${name}">${text}</a>` : '';
  };
  return [
    link('.html', 'HTML'), link('.pdf', 'PDF'), link('_handout.pdf', 'to write on'), link('.pptx', 'PPTX')
  ].filter(Boolean);
}

// One line about a translation, with the slides that a translator should look at.
function translationLine(deck, out) {
  const {name, language, meta, slides} = deck;
  const listed = (what, some) => some.length === 0 ?
      [] :
      [`${what}: ${
          some.map(({slug,
                     title}) => `<a href="${name}.html#${encodeURIComponent(slug)}">${escaped(plainTitle(title))}</a>`)
              .join(', ')}`];
  const facts = [
    `<a href="${name}.html" hreflang="${language}" lang="${language}">${languages[language].name}: ${
        escaped(meta.title)}</a>`,
    ...links(deck, out), ...listed('out of date', slides.filter(({outdated}) => outdated)),
    ...listed('not translated', slides.filter(({missing}) => missing))
  ];
  return `<p class="facts">${facts.join(' · ')}</p>\n`;
}

function article(deck, expanded, translations, out) {
  const handout = path.relative(out, path.join(root, 'labs', deck.meta.lab, 'README.md'));
  const facts = [
    `lab <a href="${escaped(handout)}"><code>${escaped(deck.meta.lab)}</code></a>`, `${expanded.slides.length} slides`,
    `${minutes(deck)} minutes`
  ];
  const titles = expanded.slides.map(
      ({slug, title}) =>
          `<li><a href="${deck.name}.html#${encodeURIComponent(slug)}">${escaped(plainTitle(title))}</a></li>`);
  return `<article id="${deck.name}">
<h2><a href="${deck.name}.html">${escaped(deck.meta.title)}</a></h2>
<p class="question">${escaped(deck.meta.description)}</p>
<p class="facts">${[...facts, ...links(deck, out)].join(' · ')}</p>
${translations.map((each) => translationLine(each, out)).join('')}<details><summary>Slides by title</summary>
<ol>
${titles.join('\n')}
</ol>
</details>
</article>`;
}
