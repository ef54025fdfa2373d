// In every page of slides: the key d turns dark on and off, and the address names the slide instead of its number.
// `slugs` are the addresses of the slides, in order; the index page has none.
(function(slugs) {
const key = 'lanewise-slides-scheme';
const system = matchMedia('(prefers-color-scheme: dark)');

function remembered() {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;  // pages from a disk may have no storage
  }
}

function isDark() {
  const scheme = remembered();
  return scheme ? scheme === 'dark' : system.matches;
}

function show(dark = isDark()) {
  document.documentElement.classList.toggle('dark', dark);
  for (const section of document.querySelectorAll('section')) section.classList.toggle('invert', dark);
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'd' || event.ctrlKey || event.metaKey || event.altKey) return;
  const dark = !document.documentElement.classList.contains('dark');
  try {
    localStorage.setItem(key, dark ? 'dark' : 'light');
  } catch {
    // then it is not remembered
  }
  show(dark);
});
system.addEventListener('change', () => show());
addEventListener('storage', () => show());
document.addEventListener('DOMContentLoaded', () => show());

// Marp's viewer writes #7 and understands both #7 and a heading's id; a number changes when slides are added before it.
for (const name of ['pushState', 'replaceState']) {
  const original = history[name].bind(history);
  history[name] = (state, title, url) => {
    const slug = (found) => slugs[/#(\d+)$/.exec(found)[1] - 1];
    const text = url === undefined || url === null ? null : String(url);
    original(state, title, text && /#\d+$/.test(text) && slug(text) ? text.replace(/#\d+$/, `#${slug(text)}`) : url);
  };
}
})
