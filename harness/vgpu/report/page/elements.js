// Elements and numbers. Data becomes only text nodes and attribute values, never markup.

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on'))
      node.addEventListener(name.slice(2), value);
    else
      node.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

// A page has thousands of numbers: toLocaleString would take most of the time to open it.
const commas = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',');

const one = (number) => (number >= 100 || Math.round(number * 10) % 10 === 0 ? commas(number) : number.toFixed(1));

// "1.2M": for cells, whose title has the exact number.
function short(number) {
  if (number < 10000) return commas(number);
  const units = ['k', 'M', 'G', 'T', 'P'];
  let unit = -1;
  while (number >= 999.5 && unit < units.length - 1) {
    number /= 1000;
    ++unit;
  }
  return (number < 9.95 ? number.toFixed(1) : Math.round(number)) + units[unit];
}

// Three digits and a unit: scaled(33.6e6, 'B') is "33.6 MB".
function scaled(number, unit) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let at = 0;
  while (number >= 999.5 && at < prefixes.length - 1) {
    number /= 1000;
    ++at;
  }
  const digits = at === 0 ? String(Math.round(number)) :
      number < 9.995      ? number.toFixed(2) :
      number < 99.95      ? number.toFixed(1) :
                            number.toFixed(0);
  return `${digits} ${prefixes[at]}${unit}`;
}

// "12.3 µs"
function timeText(nanoseconds) {
  const units = ['ns', 'µs', 'ms', 's'];
  let at = 0;
  while (nanoseconds >= 999.5 && at < units.length - 1) {
    nanoseconds /= 1000;
    ++at;
  }
  const isWhole = nanoseconds >= 99.95 || (at === 0 && Number.isInteger(nanoseconds));
  return `${isWhole ? commas(nanoseconds) : nanoseconds.toPrecision(3)} ${units[at]}`;
}

const percent = (share) => (share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(Math.min(share, 1) * 100)} %`);

const counted = (number, singular, plural) => `${commas(number)} ${number === 1 ? singular : plural}`;

function extent([x, y, z]) {
  return z > 1 ? `${commas(x)} × ${commas(y)} × ${commas(z)}` : y > 1 ? `${commas(x)} × ${commas(y)}` : commas(x);
}

const sentence = (text) => (text === '' ? '' : `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`);
