// Reads a deck: its front matter and its slides, each line with its number. Nothing is expanded here.
import fs from 'node:fs';
import path from 'node:path';

import {original} from './languages.mjs';
import {slugOf} from './slug.mjs';
import {relative} from './tree.mjs';

const required = ['marp', 'theme', 'title', 'description', 'lab'];

export function readDeck(folder, problems) {
  const file = path.join(folder, 'deck.md');
  const text = fs.readFileSync(file, 'utf8').replace(/\r\n/g, '\n');
  return parseDeck({name: path.basename(folder), folder, file: relative(file), language: original}, text, problems);
}

// `place`: {name, folder, file, language}. In another language than the original's, each slide names its original.
export function parseDeck(place, text, problems) {
  const lines = text.split('\n').map((text, index) => ({text, number: index + 1}));
  const {meta, rest} = frontMatter(place.file, lines, problems);
  const translated = place.language !== original;
  const slides =
      splitSlides(place.file, rest, problems).map((lines) => readSlide(place.file, lines, translated, problems));
  const seen = new Map();
  for (const slide of slides) {
    if (!slide.slug) continue;
    if (seen.has(slide.slug))
      problems.add(
          place.file, slide.titleLine,
          `two slides have the address #${slide.slug} (the other in line ${
              seen.get(slide.slug)}); give one another title`);
    else
      seen.set(slide.slug, slide.titleLine);
  }
  return {...place, meta, slides};
}

function frontMatter(file, lines, problems) {
  const end = lines.findIndex((line, index) => index > 0 && line.text === '---');
  if (lines[0].text !== '---' || end < 0) {
    problems.add(
        file, 1, 'the deck does not begin with front matter; begin with the lines "---", "marp: true", …, "---"');
    return {meta: {}, rest: lines};
  }
  const meta = {};
  for (const {text, number} of lines.slice(1, end)) {
    const found = /^([A-Za-z_]+):\s*(.*?)\s*$/.exec(text);
    if (found)
      meta[found[1]] = found[2].replace(/^(["'])(.*)\1$/, '$2');
    else if (text.trim() !== '')
      problems.add(file, number, `"${text}" is not front matter; write "key: value" on one line`);
  }
  for (const key of required)
    if (!meta[key]) problems.add(file, 1, `the front matter has no "${key}"; add "${key}: …"`);
  if (meta.theme && meta.theme !== 'lanewise')
    problems.add(file, 1, `the theme is "${meta.theme}"; there is one theme: write "theme: lanewise"`);
  return {meta, rest: lines.slice(end + 1)};
}

// Marks each line as text, code (a fence and what it holds) or comment, and cuts at the lines "---" of the first kind.
function splitSlides(file, lines, problems) {
  const slides = [[]];
  let fence = null;
  let comment = null;
  let before = '';
  for (const line of lines) {
    const {text, number} = line;
    let kind = 'text';
    if (comment) {
      kind = 'comment';
      if (text.includes('-->')) comment = null;
    } else if (fence) {
      kind = 'code';
      if (new RegExp(`^${fence.marker[0]}{${fence.marker.length},}\\s*$`).test(text)) fence = null;
    } else if (/^\s*<!--/.test(text)) {
      kind = 'comment';
      if (!text.includes('-->')) comment = line;
    } else if (/^(`{3,}|~{3,})/.test(text)) {
      kind = 'code';
      fence = {marker: /^(`{3,}|~{3,})/.exec(text)[1], number};
    } else if (/^---\s*$/.test(text)) {
      if (before.trim() !== '')
        problems.add(
            file, number, '"---" right under a line of text makes that line a heading; leave a line empty above it');
      slides.push([]);
      before = '';
      continue;
    }
    slides.at(-1).push({...line, kind});
    before = kind === 'text' ? text : '';
  }
  if (fence) problems.add(file, fence.number, 'this block of code does not end; add a line ``` after it');
  if (comment) problems.add(file, comment.number, 'this comment does not end; add a line "-->" after it');
  return slides;
}

function readSlide(file, lines, translated, problems) {
  const first = lines.find((line) => line.text.trim() !== '')?.number ?? lines[0]?.number ?? 1;
  const slide = {line: first, lines, title: '', slug: '', titleLine: first, classes: [], notes: null};
  const headings = lines.filter((line) => line.kind === 'text' && /^#{1,2}\s/.test(line.text));
  if (headings.length !== 1) {
    const where = headings[1]?.number ?? first;
    problems.add(
        file, where,
        `a slide has exactly one heading of # or ##, this one has ${headings.length}; ${
            headings.length ? 'use ### below it, or "---" to begin another slide' : 'add "## Its title"'}`);
  }
  if (headings.length > 0) {
    slide.titleLine = headings[0].number;
    slide.title = headings[0].text.replace(/^#+\s+/, '').replace(/\s*#*\s*$/, '');
    slide.slug = slugOf(slide.title);
    if (slide.title.includes('{{'))
      problems.add(file, slide.titleLine, 'a heading is an address and must last: put the number {{…}} below it');
    if (!translated && /^\d*$/.test(slide.slug))
      problems.add(file, slide.titleLine, `"${slide.title}" gives no address; a title needs a letter`);
  }
  if (translated) {
    slide.original = originalOf(file, lines, first, problems);
    slide.slug = slide.original?.slug ?? '';
  }
  for (const comment of comments(lines)) {
    const directive = /^_class:\s*(.*)$/.exec(comment.text);
    if (directive) slide.classes.push(...directive[1].split(/\s+/).filter(Boolean));
    if (!/^notes:/.test(comment.text)) continue;
    if (slide.notes)
      problems.add(
          file, comment.number, `a slide has one comment with notes; join it to the one in line ${slide.notes.line}`);
    else
      slide.notes = {line: comment.number, text: comment.text.replace(/^notes:[ \t]*\n?/, '')};
  }
  return slide;
}

function originalOf(file, lines, first, problems) {
  const found = lines.filter(({kind, text}) => kind === 'comment' && /^\s*<!--\s*original\b/.test(text));
  const [, slug, hash] = /^<!-- original: (\S+)(?: ([0-9a-f]{8}))? -->\s*$/.exec(found[0]?.text ?? '') ?? [];
  if (slug && found.length === 1) return {slug, hash, line: found[0].number};
  problems.add(
      file, found.at(-1)?.number ?? first,
      'a translated slide names its original once, on a line of its own: <!-- original: its-address -->');
  return null;
}

function comments(lines) {
  const found = [];
  for (const line of lines) {
    if (line.kind !== 'comment') continue;
    if (/^\s*<!--/.test(line.text)) found.push({number: line.number, text: ''});
    found.at(-1).text += `${line.text}\n`;
  }
  for (const comment of found) comment.text = comment.text.replace(/^\s*<!--\s*/, '').replace(/\s*-->[^]*$/, '');
  return found;
}
