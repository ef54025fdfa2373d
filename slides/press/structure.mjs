// What every deck has: its length, its notes, its questions, its way into the lab.
import fs from 'node:fs';
import path from 'node:path';

import {original} from './languages.mjs';
import {charactersPerMinute, discussion, minutes, words, wordsOfNotes, wordsPerMinute} from './notes.mjs';

export const limits = {
  slides: [18, 30],
  words: 6500,
  minutes: [55, 75]
};

export function checkStructure(deck, problems, root) {
  const {file, slides, meta} = deck;
  const fail = (line, sentence) => problems.add(file, line, sentence);
  if (meta.lab && !fs.existsSync(path.join(root, 'labs', meta.lab, 'README.md')))
    fail(1, `there is no lab "${meta.lab}"; name a folder of labs/`);
  const [fewest, most] = limits.slides;
  if (slides.length < fewest || slides.length > most)
    fail(1, `the deck has ${slides.length} slides; a lecture has ${fewest} to ${most}`);
  const own = slides.filter(({missing}) => !missing);
  for (const slide of own)
    if (!slide.notes || words(slide.notes.text) === 0)
      fail(
          slide.line, `the slide "${slide.title}" has no notes; add a comment that begins with the line "<!-- notes:"`);
  const total = wordsOfNotes(deck);
  if (total > limits.words)
    fail(
        1,
        `the notes have ${total} words; a lecture has ${limits.words} at most, ${
            limits.words / wordsPerMinute} minutes${
            deck.language === original ? '' : `; ${charactersPerMinute} characters are ${wordsPerMinute} words`}`);
  const [least, greatest] = limits.minutes;
  const all = minutes(deck);
  if (all < least || all > greatest)
    fail(1, `notes and discussions take ${all} minutes; a lecture takes ${least} to ${greatest}`);
  checkQuestions(slides, own, fail);
  checkEnd(slides, meta.lab, fail);
}

function checkQuestions(slides, own, fail) {
  if (slides.length > 0 && !slides[0].classes.includes('lead'))
    fail(slides[0].line, 'the first slide is not the title; add <!-- _class: lead -->');
  if (!slides[1]?.classes.includes('question'))
    fail(slides[1]?.line ?? 1, 'the second slide is not the opening question; add <!-- _class: question -->');
  const others = slides.slice(2).filter((slide) => slide.classes.includes('question'));
  if (others.length < 2)
    fail(
        1,
        `besides the opening question the deck has ${others.length || 'no'} slide${
            others.length === 1 ? '' : 's'} of class question; it needs at least 2`);
  for (const slide of own)
    if (slide.notes && !discussion(slide) && ['question', 'check'].some((name) => slide.classes.includes(name)))
      fail(
          slide.notes.line,
          `the notes of "${slide.title}" do not say how long it is discussed; add a line "Discussion: 2 minutes."`);
  for (const slide of others.filter((each) => own.includes(each)))
    if (slide.notes && !/^\s*\**Answer:/m.test(slide.notes.text))
      fail(
          slide.notes.line,
          `the notes of the question "${slide.title}" have no answer; begin it with a line "Answer:"`);
}

function checkEnd(slides, lab, fail) {
  const check = slides.findLastIndex((slide) => slide.classes.includes('check'));
  if (check < 0) {
    fail(
        slides.at(-1)?.line ?? 1,
        'the deck has no slide of class check; end with one, and a slide that points to the lab after it');
    return;
  }
  const after = slides.slice(check + 1);
  if (after.length < 1 || after.length > 2)
    fail(
        slides[check].line,
        `after the last slide of class check come ${
            after.length || 'no'} slides; one that points to the lab must, and one of sources may`);
  const pointsToLab = (slide) =>
      slide.lines.some(({text}) => text.includes(`LAB=${lab}`) || text.includes(`labs/${lab}`));
  if (after.length > 0 && !pointsToLab(after[0]))
    fail(
        after[0].line,
        `the slide after the last of class check does not point to the lab; name \`make check LAB=${lab}\` on it`);
}
