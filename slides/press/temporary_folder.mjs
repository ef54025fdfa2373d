// Where Chromium keeps its profiles while the press works. Marp leaves its own behind, so all of them go into a folder
// that ends with this process.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import {Missing} from './problem.mjs';

function made(parent) {
  try {
    return fs.mkdtempSync(path.join(parent, 'lanewise-slides-'));
  } catch (error) {
    throw new Missing(`no temporary folder can be made in ${parent} (${error.code}); look at TMPDIR`);
  }
}

export function useOwnTemporaryFolder() {
  const folder = made(os.tmpdir());
  process.env.TMPDIR = folder;
  // Chromium may still be writing while it ends.
  process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true, maxRetries: 10, retryDelay: 100}));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(128 + os.constants.signals[signal]));
}
