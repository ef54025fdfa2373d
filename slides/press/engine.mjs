// The engine that Marp runs: its own, with our theme, our notes, our addresses and figures in the slides themselves.
import {Marp} from '@marp-team/marp-core';
import fs from 'node:fs';
import path from 'node:path';

import {slides as folder} from './tree.mjs';


// What expandDeck made of each deck, by the deck's name; the Markdown's front matter says which one it is.
const decks = new Map();
export const remember = (name, expanded) => decks.set(name, expanded);

// CUDA is C++ with a few more words.
function cuda(highlight) {
  const language = highlight.getLanguage('cpp').rawDefinition(highlight);
  const {keywords} = language;
  keywords.keyword = [
    ...keywords.keyword, '__global__', '__device__', '__host__', '__shared__', '__constant__', '__restrict__',
    '__launch_bounds__', '__managed__'
  ];
  keywords.built_in = [...keywords.built_in ?? [], 'threadIdx', 'blockIdx', 'blockDim', 'gridDim', 'warpSize'];
  return {...language, name: 'CUDA', aliases: ['cu']};
}

class Press extends Marp {
  constructor(options = {}) {
    super({
      ...options,
      html: true,
      slug: false,
      emoji: {unicode: false, shortcode: false},
      math: 'mathjax',
      minifyCSS: true
    });
    this.themeSet.add(fs.readFileSync(path.join(folder, 'theme.css'), 'utf8'));
  }

  highlighter(code, language, attributes) {
    if (!['cuda', 'cu'].includes(language)) return super.highlighter(code, language, attributes);
    const highlight = this.highlightjs;
    if (!highlight.getLanguage('cuda')) highlight.registerLanguage('cuda', cuda);
    return highlight.highlight(code, {language: 'cuda', ignoreIllegals: true}).value;
  }

  render(markdown, environment = {}) {
    const name = /^pressed: (\S+)$/m.exec(markdown)?.[1];
    const deck = decks.get(name);
    if (!deck) throw new Error(`the deck ${name} was not expanded`);
    const {html, css} = super.render(markdown, environment);
    // As one text the slides may have a container around them, which begins before the first and ends with the last.
    const parts = Array.isArray(html) ? html : html.split(/(?=<svg data-marpit-svg)/);
    const begin = parts[0].startsWith('<svg data-marpit-svg') ? [] : parts.splice(0, 1);
    if (deck.slides.length !== parts.length)
      throw new Error(`${name}: ${deck.slides.length} slides were written and ${parts.length} rendered`);
    const slides = [...begin, ...parts.map((part, i) => finished(part, deck.slides[i]))];
    const comments = deck.slides.map(({notes}) => (notes ? [notes] : []));
    return {css, html: Array.isArray(html) ? slides : slides.join(''), comments};
  }
}

// Marp's viewer takes the fragments of a slide in the order of the document; a figure's layers have another. So each
// step has a mark of its own at the slide's beginning, and stepRules (pages.mjs) show the layers by the state of the
// marks.
function finished(html, {slug, language, figures, steps}) {
  const marks = Array.from({length: steps}, (_, i) => `<i hidden data-marpit-fragment="${i + 1}"></i>`).join('');
  const counted = html.replace(
      /<section\b([^>]*)>/,
      (_, has) => `<section${has.replace(/\slang="[^"]*"/, '')} lang="${language}"${
          steps ? ` data-marpit-fragments="${steps}"` : ''}>${marks}`);
  const addressed = counted.replace(/<(h[12])(?=[\s>])/, (_, heading) => `<${heading} id="${slug}"`);
  return addressed.replace(
      /<div class="figure" data-figure="([^"]*)"><\/div>/g, (_, id) => `<div class="figure">${figures.get(id)}</div>`);
}

export default (options) => new Press(options);
