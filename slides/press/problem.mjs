// What is wrong with a deck: where, and a sentence that says what and what to do.

export class Problems {
  constructor() {
    this.list = [];
    this.warnings = [];
  }

  // `file` is relative to the tree's root; without a line the sentence is about the file as a whole.
  add(file, line, sentence) {
    this.list.push({file, line, sentence});
  }

  // What deserves a look but does not make the check fail.
  warn(file, line, sentence) {
    this.warnings.push({file, line, sentence});
  }

  get any() {
    return this.list.length > 0;
  }

  sentences(list = this.list) {
    return list.map(({file, line, sentence}) => `${file}${line ? `:${line}` : ''}: ${sentence}`);
  }
}

// Something on this machine is missing: exit code 3, with what to run.
export class Missing extends Error {}

// The command line asks for something that there is not: exit code 2.
export class Usage extends Error {}
