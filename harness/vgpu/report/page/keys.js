// The keys of the pages of a run and of a verdict: each does the same on both. And buttons for whoever would rather
// click.

const KEYS = [
  [['j', 'k'], 'the next or the previous place'],
  [['n', 'p'], 'the next or the previous of those that matter most'],
  [['Enter'], 'show or hide the accesses of a line'],
  [['←', '→'], 'another column of the source'],
  [['t'], 'light or dark'],
  [['?'], 'show or hide these keys'],
];

function themeButton() {
  const isDark = () => (document.documentElement.dataset.theme ||
                        (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const button = el('button', {
    type: 'button',
    class: 'theme',
    title: 'Light or dark (t)',
    onclick: () => {
      document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
      name();
    }
  });
  const name = () => {
    button.textContent = isDark() ? '☀ Light' : '☾ Dark';
  };
  name();
  return button;
}

// `actions`: by key. `others`: keys that something on the page handles by itself. Returns the buttons.
function pageKeys(actions, others = []) {
  const theme = themeButton();
  const known =
      KEYS.filter(([keys]) => keys.some((key) => 't?'.includes(key) || key in actions || others.includes(key)));
  const help =
      el('dialog', {class: 'keys', 'aria-label': 'Keys'}, el('h3', {}, 'Keys'),
         el('dl', {},
            known.map(([keys, what]) => [el('dt', {}, keys.map((key) => el('kbd', {}, key))), el('dd', {}, what)])),
         el('form', {method: 'dialog'}, el('button', {}, 'Close')));
  document.body.append(help);
  const toggleHelp = () => (help.open ? help.close() : help.showModal());
  const all = {...actions, t: () => theme.click(), '?': toggleHelp};
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(all, event.key)) return;
    if (help.open && !'t?'.includes(event.key)) return;
    event.preventDefault();
    all[event.key]();
  });
  return [el('button', {type: 'button', title: 'Keys (?)', onclick: toggleHelp}, '? Keys'), theme];
}
