// How long a lecture is: the words of its notes, at 130 a minute, and its discussions. In Chinese it is 200
// characters a minute: the documentation of Huawei's MetaStudio calls 250 the normal speed of an adult, English is
// normally spoken at some 160 words a minute, and a lecture is slower by the same factor in both.

export const wordsPerMinute = 130;

export const charactersPerMinute = 200;

const chinese = /\p{Script=Han}/gu;

// A number from a table, {{…}}, is one word; Chinese characters are as many words as are spoken in their time.
export function words(text) {
  const plain = text.replace(/\{\{[^{}]*\}\}/g, 'number');
  const others = plain.replace(chinese, ' ').split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return others + (plain.match(chinese)?.length ?? 0) * wordsPerMinute / charactersPerMinute;
}

export const wordsOfNotes = (deck) =>
    Math.round(deck.slides.reduce((sum, {notes}) => sum + (notes ? words(notes.text) : 0), 0));

// "Discussion: 2 minutes." in the notes of a slide: while the audience thinks, votes and talks.
export const discussion = (slide) => Number(/^Discussion: (\d+) minutes?\.$/m.exec(slide.notes?.text ?? '')?.[1] ?? 0);

export const minutes = (deck) =>
    Math.round(wordsOfNotes(deck) / wordsPerMinute + deck.slides.reduce((sum, slide) => sum + discussion(slide), 0));
