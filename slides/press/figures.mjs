// Figures: SVG put into the slide itself, so that it follows light and dark; other pictures as data.
import fs from 'node:fs';
import path from 'node:path';

// What figures elsewhere in the tree are coloured with, and what of the theme that is.
const families = {
  ink: ['#1f2933'],
  paper: ['#ffffff', '#fff'],
  soft: ['#eef1f4', '#e4e7eb', '#e8e8e8', '#d5dbe1'],
  line: ['#9aa5b1', '#cbd2d9'],
  quiet: ['#7b8794', '#52606d'],
  blue: ['#2563a8', '#2f6fb3'],
  'blue-soft': ['#dbe8f6', '#e3edf7', '#d9e4f7'],
  orange: ['#c2410c', '#d9822b', '#b4690e'],
  'orange-soft': ['#fbe6cf', '#fdf0d5'],
  green: ['#3f8f5f', '#2f8f5b'],
  'green-soft': ['#dcefe3', '#dff0e0', '#daf0dd'],
  'red-soft': ['#f9dede', '#f7d9d9', '#f6d6e0'],
  'purple-soft': ['#f3dcea', '#ead9f2', '#efe3f5'],
};
const variables = new Map(Object.entries(families).flatMap(
    ([name, colours]) => colours.map((colour) => [colour, `var(--${name},${colour})`])));

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

// The end of the rule whose brace opens at `open`.
function ruleEnd(css, open) {
  let depth = 0;
  for (let i = open; i < css.length; ++i) {
    if (css[i] === '{') ++depth;
    if (css[i] === '}' && --depth === 0) return i;
  }
  return css.length;
}

// A figure's own rules must reach no other figure, and its dark ones obey the slide's class instead of the system. They
// weigh as much as the light ones, as they did under @media.
function ownRules(css, id) {
  let light = css.replace(/\/\*[^]*?\*\//g, '');
  let dark = '';
  for (;;) {
    const media = /@media\s*\(\s*prefers-color-scheme:\s*dark\s*\)\s*\{/.exec(light);
    if (!media) break;
    const open = media.index + media[0].length - 1;
    const end = ruleEnd(light, open);
    dark += light.slice(open + 1, end);
    light = light.slice(0, media.index) + light.slice(end + 1);
  }
  const nested = (rules) => rules.replace(/(^|[\s,}]):root\b/g, '$1&');
  return `#${id}{${nested(light)}}${dark.trim() ? `:where(section.invert) #${id}{${nested(dark)}}` : ''}`;
}

// `own`: the figure is made for slides and uses the theme's colours; others are mapped to them.
export function inlineSvg(svg, alt, id, own) {
  let text = svg.replace(/<\?xml[^]*?\?>|<!DOCTYPE[^>]*>|<!--[^]*?-->/g, '').trim();
  text = text.replace(/<(title|desc)\b[^>]*>[^]*?<\/\1>/g, '');
  text = text.replace(/^<svg\b[^>]*>/, (tag) => {
    const kept = tag.replace(/\s(?:width|height|role|id|aria-[\w-]+|style|class)="[^"]*"/g, '');
    return kept.replace(/^<svg/, `<svg id="${id}" role="img" aria-label="${escaped(alt)}"`);
  });
  const root = new RegExp(`^<svg id="${id}"`);
  text = text.replace(/(\s)id="([^"]*)"/g, `$1id="${id}-$2"`)
             .replace(new RegExp(`^<svg id="${id}-${id}"`), `<svg id="${id}"`);
  text = text.replace(/url\(#([^)]*)\)/g, `url(#${id}-$1)`).replace(/href="#([^"]*)"/g, `href="#${id}-$1"`);
  text =
      text.replace(/(<style\b[^>]*>)([^]*?)(<\/style>)/g, (_, begin, css, end) => `${begin}${ownRules(css, id)}${end}`);
  if (!own) {
    text =
        text.replace(/<(?:text|tspan)\b[^>]*>/g, (tag) => tag.replace(/#9aa5b1|#cbd2d9/gi, '#52606d'));  // pale letters
    text = text.replace(
        /="(#[0-9a-fA-F]{3,6})"/g, (whole, colour) => `="${variables.get(colour.toLowerCase()) ?? colour}"`);
  }
  if (!root.test(text)) throw new Error(`figure ${id} is not an SVG`);
  return text;
}

const types = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg'
};

// Where a figure's file lies: beside the deck, or from the tree's root.
export const figureFile = (source, folder, root) =>
    (source.startsWith('/') ? path.join(root, source) : path.join(folder, source));

// The translated figure, grid.zh-CN.svg for grid.svg, if there is one.
export function figureIn(language, file) {
  const {dir, name, ext} = path.parse(file);
  const translated = path.join(dir, `${name}.${language}${ext}`);
  return fs.existsSync(translated) ? translated : file;
}

// Returns {html} or {error}. `source` as written in the deck.
export function figure({source, alt, id, folder, root, language}) {
  const file = figureIn(language, figureFile(source, folder, root));
  if (!fs.existsSync(file))
    return {
      error: `there is no figure ${source}; figures lie beside the deck, or begin with / at the root of the tree`
    };
  const kind = path.extname(file).toLowerCase();
  if (types[kind])
    return {
      html: `<img alt="${escaped(alt)}" src="data:${types[kind]};base64,${fs.readFileSync(file).toString('base64')}">`
    };
  if (kind !== '.svg') return {error: `${source} is neither SVG nor PNG nor JPEG; slides show no other kind`};
  const svg = fs.readFileSync(file, 'utf8');
  const own = !source.startsWith('/') || source.startsWith('/slides/');
  const fault = svgFault(svg, source, own);
  return fault ? {error: fault} : {html: inlineSvg(svg, alt, id, own)};
}

function svgFault(svg, source, own) {
  const tag = /<svg\b[^>]*>/.exec(svg)?.[0];
  if (!tag) return `${source} is not an SVG; begin it with <svg xmlns="http://www.w3.org/2000/svg" viewBox="…">`;
  if (!/\sviewBox="/.test(tag))
    return `${source} has no viewBox, so it cannot be scaled; add viewBox="0 0 width height"`;
  const fixed = own && /(?:fill|stroke|stop-color|color)\s*[=:]\s*["']?\s*(#[0-9a-fA-F]{3,8}|rgba?\([^)]*\))/.exec(svg);
  if (fixed)
    return `${source} has the fixed colour ${
        fixed[1]}, which does not follow dark; use the theme's, such as var(--blue,#2f6fb3)`;
  return null;
}
