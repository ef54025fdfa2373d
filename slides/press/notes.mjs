// How long a lecture is: the words of its notes, at 130 a minute.

export const wordsPerMinute = 130;

// A number from a table, {{…}}, is one word.
export const words = (text) =>
    text.replace(/\{\{[^{}]*\}\}/g, 'number').split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

export const wordsOfNotes = (deck) => deck.slides.reduce((sum, {notes}) => sum + (notes ? words(notes.text) : 0), 0);

export const minutes = (deck) => Math.round(wordsOfNotes(deck) / wordsPerMinute);
