// The files a deck is pressed into: HTML, PDF and PPTX by Marp, a PDF to write on and PNG by Chromium.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {chromiumPath, deckPage, setDark, withBrowser} from './browser.mjs';
import {remember} from './engine.mjs';
import {Usage} from './problem.mjs';
import {relative} from './tree.mjs';

const engineFile = fileURLToPath(new URL('./engine.mjs', import.meta.url));

export const formats = ['html', 'pdf', 'pptx', 'handout', 'png'];
const byChromium = {
  handout,
  png: pictures
};

// Writes what is asked for under `out`; `say` hears of each file.
export async function press(decks, wanted, out, {dark = false, say, finishHtml}) {
  makeFolder(out);
  for (const {deck, expanded} of decks) {
    remember(deck.name, expanded);
    for (const format of wanted.filter((each) => !byChromium[each]))
      await runMarp(deck, expanded, format, out, say, finishHtml);
  }
  const others = wanted.filter((each) => byChromium[each]);
  if (others.length > 0)
    await withBrowser(async (browser) => {
      for (const {deck, expanded} of decks)
        for (const format of others) await byChromium[format](browser, deck, expanded, {out, dark, say});
    });
}

function makeFolder(folder) {
  try {
    fs.mkdirSync(folder, {recursive: true});
    fs.accessSync(folder, fs.constants.W_OK);
  } catch (error) {
    throw new Usage(`nothing can be written to ${folder} (${error.code}); choose another folder with --out`);
  }
}

async function runMarp(deck, expanded, format, out, say, finishHtml) {
  const {marpCli} = await import('@marp-team/marp-cli');
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'lanewise-press-'));
  const input = path.join(work, `${deck.name}.md`);
  const output = path.join(out, `${deck.name}.${format}`);
  fs.writeFileSync(input, expanded.markdown);
  const started = Date.now();
  const options = {
    html: ['--bespoke.progress', '--bespoke.transition=false'],
    pdf: ['--pdf', '--pdf-notes', '--pdf-outlines', '--pdf-outlines.pages=false'],
    pptx: ['--pptx'],
  };
  if (format !== 'html') {
    process.env.CHROME_PATH = chromiumPath();
    process.env.CHROME_NO_SANDBOX = '1';
  }
  const heard = [];
  const loud = {error: console.error, warn: console.warn};  // Marp tells of its progress there
  console.error = console.warn = (...words) => heard.push(words.join(' '));
  let status;
  try {
    status = await marpCli([
      '--no-config-file', '--no-stdin', '--html', '--engine', engineFile, '--browser-timeout', '120',
      ...options[format], '-o', output, input
    ]);
  } finally {
    Object.assign(console, loud);
    fs.rmSync(work, {recursive: true, force: true});
  }
  if (status !== 0 || !fs.existsSync(output))
    throw new Error(`Marp could not write ${relative(output)}:\n${heard.join('\n')}`);
  if (format === 'html' && finishHtml)
    fs.writeFileSync(output, finishHtml(fs.readFileSync(output, 'utf8'), deck, expanded));
  say(`${relative(output)} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

// Two slides a page, with lines to write on below each.
async function handout(browser, deck, expanded, {out, say}) {
  const output = path.join(out, `${deck.name}_handout.pdf`);
  const page = await deckPage(browser, expanded);
  await page.evaluate(() => {
    for (const slide of document.querySelectorAll('div.marpit > svg')) {
      const half = document.createElement('div');
      half.className = 'marpit half';  // the theme's rules are for slides in such a box
      slide.replaceWith(half);
      half.append(slide, ...Array.from({length: 4}, () => document.createElement('hr')));
    }
  });
  // Half of an A4 page is 148.5 mm high, and a slide as wide as the page 107 mm.
  await page.addStyleTag({
    content: `@page { size: A4; margin: 0 }
      div.half { box-sizing: border-box; width: 210mm; height: 148.5mm; padding: 8mm 10mm 0; break-inside: avoid }
      div.half:nth-child(even) { break-after: page }
      div.half > svg { display: block; width: 190mm !important; height: 106.9mm !important; outline: 0.3mm solid #9aa5b1 }
      div.half > hr { height: 0; margin: 7.5mm 0 0; border: 0; border-top: 0.2mm solid #9aa5b1 }`
  });
  await page.pdf({path: output, format: 'A4', printBackground: true});
  await page.close();
  say(relative(output));
}

async function pictures(browser, deck, expanded, {out, dark, say}) {
  const folder = path.join(out, deck.name);
  fs.rmSync(folder, {recursive: true, force: true});
  fs.mkdirSync(folder, {recursive: true});
  const page = await deckPage(browser, expanded);
  await setDark(page, dark);
  const all = await page.$$('div.marpit > svg');
  for (const [i, slide] of all.entries())
    await slide.screenshot(
        {path: path.join(folder, `${String(i + 1).padStart(2, '0')}_${expanded.slides[i].slug}.png`)});
  await page.close();
  say(`${relative(folder)}/: ${all.length} pictures${dark ? ', dark' : ''}`);
}
