// How long a lecture is: the words of its notes, at 130 a minute, and its discussions.

export const wordsPerMinute = 130;

// A number from a table, {{…}}, is one word.
export const words = (text) =>
    text.replace(/\{\{[^{}]*\}\}/g, 'number').split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export const wordsOfNotes = (deck) => deck.slides.reduce((sum, {notes}) => sum + (notes ? words(notes.text) : 0), 0);

// "Discussion: 2 minutes." in the notes of a slide: while the audience thinks, votes and talks.
export const discussion = (slide) => Number(/^Discussion: (\d+) minutes?\.$/m.exec(slide.notes?.text ?? '')?.[1] ?? 0);

export const minutes = (deck) =>
    Math.round(wordsOfNotes(deck) / wordsPerMinute + deck.slides.reduce((sum, slide) => sum + discussion(slide), 0));
