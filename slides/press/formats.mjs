// The files a deck is pressed into: HTML, PDF and PPTX by Marp, PNG by Chromium.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {chromiumPath, deckPage, setDark, withBrowser} from './browser.mjs';
import {remember} from './engine.mjs';
import {Usage} from './problem.mjs';
import {relative} from './tree.mjs';

const engineFile = fileURLToPath(new URL('./engine.mjs', import.meta.url));

export const formats = ['html', 'pdf', 'pptx', 'png'];

// Writes what is asked for under `out`; `say` hears of each file.
export async function press(decks, wanted, out, {dark = false, say, finishHtml}) {
  makeFolder(out);
  for (const {deck, expanded} of decks) {
    remember(deck.name, expanded);
    for (const format of wanted.filter((each) => each !== 'png'))
      await runMarp(deck, expanded, format, out, say, finishHtml);
  }
  if (wanted.includes('png'))
    await withBrowser(async (browser) => {
      for (const {deck, expanded} of decks)
        await pictures(browser, deck, expanded, path.join(out, deck.name), dark, say);
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

async function pictures(browser, deck, expanded, folder, dark, say) {
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
