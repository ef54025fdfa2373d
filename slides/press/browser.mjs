// Chromium, with a deck's slides one below another at their own size.
import fs from 'node:fs';
import path from 'node:path';
import puppeteer from 'puppeteer-core';

import engine from './engine.mjs';
import {Missing} from './problem.mjs';

export function chromiumPath() {
  const candidates = [process.env.CHROME_PATH];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter))
    for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])
      candidates.push(path.join(folder, name));
  const found = candidates.find((each) => each && fs.existsSync(each));
  if (!found) throw new Missing('Chromium was not found; run  scripts/prepare.sh slides  or name it in CHROME_PATH');
  return found;
}

export async function withBrowser(work) {
  // Its sandbox needs rights that a container or root does not give; the pages are our own.
  const browser = await puppeteer.launch({
    executablePath: chromiumPath(),
    args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--hide-scrollbars'],
    timeout: 120000,  // on a machine that is busy with other tests
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

// The page of one deck, light; `setDark` turns it.
export async function deckPage(browser, expanded) {
  const {html, css} = engine({}).render(expanded.markdown, {htmlAsArray: true});
  const page = await browser.newPage();
  await page.setViewport({width: 1280, height: 720});
  await page.setContent(
      `<!doctype html><html lang="${expanded.language}"><meta charset="utf-8"><style>${css}</style>` +
      `<style>body{margin:0} div.marpit>svg{display:block;width:1280px;height:720px}</style>` +
      `<body><div class="marpit">${html.join('')}</div></body></html>`);
  await page.evaluate(() => document.fonts.ready);
  return page;
}

export const setDark = (page, dark) => page.evaluate((dark) => {
  for (const section of document.querySelectorAll('section')) section.classList.toggle('invert', dark);
}, dark);
