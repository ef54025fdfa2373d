// Sorts the tables of a board, and follows the board while its page is open. Without the script, the page says the
// same.
'use strict';

// Sorting: rows are moved, never written. The order of each table outlives an update.
const orders = new Map();  // by the table's id: the column and whether it is descending

function valueOf(cell) {
  return 'value' in cell.dataset ? parseFloat(cell.dataset.value) : cell.textContent.toLowerCase();
}

const isKnown = ([value]) => value !== '' && !Number.isNaN(value);
const inOrder = (a, b) => typeof a === 'string' ? a.localeCompare(b) : a - b;

function sort(table) {
  const order = orders.get(table.id);
  if (!order) return;
  const heads = [...table.tHead.rows[0].cells];
  const column = heads.findIndex((head) => head.textContent === order.heading);
  if (column < 0) return;
  for (const head of heads) head.removeAttribute('aria-sort');
  heads[column].setAttribute('aria-sort', order.isDescending ? 'descending' : 'ascending');
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row.cells[column]), row]);
  const known = rows.filter(isKnown).sort(([a], [b]) => order.isDescending ? inOrder(b, a) : inOrder(a, b));
  const unknown = rows.filter((row) => !isKnown(row));  // last, either way
  table.tBodies[0].append(...[...known, ...unknown].map(([, row]) => row));
}

function makeSortable(root) {
  for (const table of root.querySelectorAll('table.sortable')) {
    for (const head of table.tHead.rows[0].cells) {
      const button = root.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
    }
    sort(table);
  }
}

document.addEventListener('click', (event) => {
  const head = event.target.closest('th');
  if (!head || !event.target.closest('button')) return;
  const table = head.closest('table');
  orders.set(table.id, {heading: head.textContent, isDescending: head.getAttribute('aria-sort') === 'ascending'});
  sort(table);
});

// Turns `now` into `wanted`, and keeps every element that both have: with it, focus, scrolling and open details.
const keyOf = (node) => node.nodeType === Node.ELEMENT_NODE ? node.id || node.dataset.key : undefined;

function become(now, wanted) {
  if (now.isEqualNode(wanted)) return;
  for (const {name} of [...now.attributes])
    if (!wanted.hasAttribute(name) && name !== 'open') now.removeAttribute(name);
  for (const {name, value} of wanted.attributes)
    if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  const kept = new Map([...now.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let next = now.firstChild;
  for (const child of wanted.childNodes) {
    const key = keyOf(child);
    const mine = key ? kept.get(key) : next && !keyOf(next) ? next : undefined;
    if (mine?.nodeName !== child.nodeName) {
      now.insertBefore(document.importNode(child, true), next);
      continue;
    }
    if (mine === next)
      next = next.nextSibling;
    else
      now.insertBefore(mine, next);
    if (child.nodeType === Node.ELEMENT_NODE)
      become(mine, child);
    else if (mine.data !== child.data)
      mine.data = child.data;
  }
  while (next) {
    const rest = next.nextSibling;
    next.remove();
    next = rest;
  }
}

// Following: a few bytes say whether there is a new board. Only while the page is visible.
const interval = 1000;
const longestWait = 60_000;
const patience = 10_000;
const main = document.querySelector('main');
const live = document.querySelector('#live');
const clock = (date) => date.toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});
let answered = new Date();
let failures = 0;
let timer = 0;
let isAsking = false;

function say(text, isLost = false) {
  if (live.textContent !== text) live.textContent = text;
  live.classList.toggle('lost', isLost);
}

const rankedRows = (root) => [...root.querySelectorAll('#standings-table tr[data-rank]')];
const nameOf = (row) => row.querySelector('.name').textContent;
const ranksOf = (rows) => new Map(rows.map((row) => [nameOf(row), row.dataset.rank]));

function whatChanged(before, after) {
  const moved = [...after].filter(([name, rank]) => before.get(name) !== rank).sort(([, a], [, b]) => a - b);
  const words = moved.slice(0, 3).map(([name, rank]) => `${name} is now number ${rank}`);
  if (moved.length > 3) words.push(`${moved.length - 3} more have a new rank`);
  return words.length ? words.join(', ') : 'no rank changed';
}

function show(page) {
  const before = ranksOf(rankedRows(document));
  makeSortable(page);
  const focused = document.activeElement;
  const section = document.elementFromPoint(innerWidth / 2, innerHeight / 3)?.closest('section');
  const top = section?.getBoundingClientRect().top;
  page.querySelector('#live').replaceChildren(...[...live.childNodes].map((node) => page.importNode(node, true)));
  become(main, page.querySelector('main'));
  document.title = page.title;
  if (section?.isConnected) scrollBy({top: section.getBoundingClientRect().top - top, behavior: 'instant'});
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({preventScroll: true});  // it was moved
  const rows = rankedRows(document);
  for (const row of rows) row.classList.toggle('moved', before.get(nameOf(row)) !== row.dataset.rank);
  say(`Updated at ${clock(answered)}: ${whatChanged(before, ranksOf(rows))}.`);
}

async function get(address) {
  // Revalidates: what has not changed is not sent again.
  const response = await fetch(address, {cache: 'no-cache', signal: AbortSignal.timeout(patience)});
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response;
}

async function ask() {
  const {version} = await (await get('version.json')).json();
  answered = new Date();
  if (version === main.dataset.version) return;
  const page = new DOMParser().parseFromString(await (await get(location.pathname)).text(), 'text/html');
  // A host that copies file by file may still have the earlier page; then try again next time.
  if (page.querySelector('main')?.dataset.version === version) show(page);
}

async function follow() {
  clearTimeout(timer);
  if (document.hidden || isAsking) return;
  isAsking = true;
  try {
    await ask();
    if (live.classList.contains('lost')) say(`Connected again at ${clock(answered)}.`);
    failures = 0;
  } catch {
    ++failures;
    if (failures > 1) say(`Connection lost, last update ${clock(answered)}.`, true);
  }
  isAsking = false;
  // Not all at the same time once the server is back.
  const wait =
      Math.min(interval * 2 ** Math.max(failures - 1, 0), longestWait) * (failures > 1 ? 0.75 + Math.random() / 2 : 1);
  timer = setTimeout(follow, wait);
}

makeSortable(document);
if (location.protocol !== 'file:') {
  say('This page updates itself.');
  document.addEventListener('visibilitychange', follow);
  addEventListener('online', follow);
  follow();
}
