// What only a browser can tell of a deck: does everything fit, is it large enough, can it be told from its background.
import {deckPage, setDark, withBrowser} from './browser.mjs';
import {remember} from './engine.mjs';
import {slideFaults} from './slide_faults.js';

export async function checkLayout(decks, problems, say) {
  await withBrowser(async (browser) => {
    for (const {deck, expanded} of decks) {
      say(`${deck.name}: ${expanded.slides.length} slides in Chromium, light and dark`);
      remember(deck.name, expanded);
      const page = await deckPage(browser, expanded);
      const told = new Set();
      for (const dark of [false, true]) {
        await setDark(page, dark);
        for (const [index, faults] of (await page.evaluate(slideFaults)).entries())
          for (const fault of faults) {
            const sentence = `slide ${index + 1} "${expanded.slides[index].title}"${
                fault.ofColour && dark ? ', dark' : ''}: ${fault.text}`;
            if (told.has(sentence)) continue;
            told.add(sentence);
            problems.add(expanded.slides[index].file, expanded.slides[index].line, sentence);
          }
      }
      await page.close();
    }
  });
}
