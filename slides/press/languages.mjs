// The languages of decks: deck.md is written in the first, deck.zh-CN.md is a translation into the language zh-CN.

export const original = 'en-GB';

// What the press itself writes on slides and into notes; the fonts are in theme.css.
export const languages = {
  [original]: {
    name: 'English',
    source: 'Source: ',
    answer: 'Answer: ',
    discussion: (minutes) => `Discussion: ${minutes} minute${minutes === '1' ? '' : 's'}.`,
  },
  'zh-CN': {
    name: '简体中文',
    source: '来源：',
    answer: '答案：',
    discussion: (minutes) => `讨论：${minutes} 分钟。`,
    outdated: '原文已更新，译文尚未跟进',
    missing: '尚未翻译',
  },
};
