// Figures in the theme's colours, readable at the back of a hall.

const colours = {
  ink: '#1f2933',
  paper: '#ffffff',
  soft: '#e4e7eb',
  blue: '#2f6fb3',
  'blue-soft': '#dbe8f6',
  orange: '#c25a00',
  'orange-soft': '#fde6cf',
  green: '#2b7a3d',
  'green-soft': '#d9f0dd',
  red: '#b3261e',
  'red-soft': '#f9dcd9'
};

export const colour = (name) => (name === 'none' ? name : `var(--${name},${colours[name]})`);

const number = (value) => (typeof value === 'number' ? String(Math.round(value * 10) / 10) : value);

const escaped = (text) => String(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

const attributes = (values) => Object.entries(values).map(([key, value]) => ` ${key}="${number(value)}"`).join('');

export const commas = (value) => value.toLocaleString('en-US');

export class Drawing {
  constructor(width, height) {
    this.size = [width, height];
    this.parts = [];
  }

  rect(x, y, width, height, {fill = 'none', stroke = 'none', ...more} = {}) {
    this.parts.push(`<rect${attributes({x, y, width, height, fill: colour(fill), stroke: colour(stroke), ...more})}/>`);
  }

  line(x1, y1, x2, y2, {stroke = 'ink', ...more} = {}) {
    this.parts.push(`<line${attributes({x1, y1, x2, y2, stroke: colour(stroke), ...more})}/>`);
  }

  circle(cx, cy, r, {fill = 'none', stroke = 'none', ...more} = {}) {
    this.parts.push(`<circle${attributes({cx, cy, r, fill: colour(fill), stroke: colour(stroke), ...more})}/>`);
  }

  text(x, y, text, {size = 24, anchor = 'start', fill = 'ink', ...more} = {}) {
    this.parts.push(
        `<text${attributes({x, y, 'font-size': size, 'text-anchor': anchor, fill: colour(fill), ...more})}>${
            escaped(text)}</text>`);
  }

  // The whole file. `made`: by what, so that nobody mends it by hand.
  svg(made) {
    const [width, height] = this.size;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${number(height)}" font-family="sans-serif">
<!-- Made by slides/figures.sh: ${made} -->
${this.parts.join('\n')}
</svg>
`;
  }
}
