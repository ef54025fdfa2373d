// Runs in the browser: for each slide the sentences about what does not fit, is too small or has too little contrast.
export function slideFaults() {
  const small = 'footer, .source, .path, .state-of-translation, sub, sup';
  const said = (text) => `"${text.replace(/\s+/g, ' ').trim().slice(0, 40)}"`;
  const px = (number) => `${Math.round(number)} px`;

  // Texts of an element as the browser drew them: {node, rect, owner}.
  function texts(section) {
    const found = [];
    const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const owner = node.parentElement;
      if (!node.data.trim() || owner.closest('style, script, mjx-assistive-mml, defs, title, desc')) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const rect = range.getBoundingClientRect();
      if (rect.width > 0 && rect.height > 0) found.push({node, owner, rect, text: node.data});
    }
    return found;
  }

  const figureOf = (element) => element.closest('.figure > svg');

  function scaleOf(element) {
    if (!figureOf(element)) return 1;
    const {a, b, c, d} = element.getScreenCTM();
    return Math.sqrt(Math.abs(a * d - b * c));
  }

  const colour = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return {r, g, b, a};
  };
  const over = (above, below) => {
    const mix = (x, y) => x * above.a + y * (1 - above.a);
    return {r: mix(above.r, below.r), g: mix(above.g, below.g), b: mix(above.b, below.b), a: 1};
  };
  const luminance = ({r, g, b}) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };

  function paperUnder(element) {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      layers.push(colour(getComputedStyle(each).backgroundColor));
      if (layers.at(-1).a === 1) break;
    }
    return layers.reverse().reduce((below, above) => over(above, below), {r: 255, g: 255, b: 255, a: 1});
  }

  // What a figure's text stands on: the shapes drawn before it that cover its middle.
  function figurePaper(svg, text, rect) {
    let paper = paperUnder(svg);
    const x = rect.left + rect.width / 2;
    const y = rect.top + rect.height / 2;
    for (const shape of svg.querySelectorAll('rect, circle, ellipse, path, polygon')) {
      if (shape.closest('defs, clipPath, mask, marker')) continue;
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const style = getComputedStyle(shape);
      if (style.fill === 'none' || !style.fill.startsWith('rgb')) continue;
      const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
      if (!shape.isPointInFill(point)) continue;
      const fill = colour(style.fill);
      paper = over({...fill, a: fill.a * Number(style.fillOpacity) * Number(style.opacity)}, paper);
    }
    return paper;
  }

  // Where an SVG's viewBox lies on the screen.
  function drawn(svg) {
    const {x, y, width, height} = svg.viewBox.baseVal;
    const matrix = svg.getScreenCTM();
    const begin = new DOMPoint(x, y).matrixTransform(matrix);
    const end = new DOMPoint(x + width, y + height).matrixTransform(matrix);
    return {left: begin.x, top: begin.y, right: end.x, bottom: end.y};
  }

  const beyond = (rect, box) =>
      Math.max(box.left - rect.left, box.top - rect.top, rect.right - box.right, rect.bottom - box.bottom);

  // Texts of a figure that lie on one another: [[one, other], …]. Boxes around slanted text say nothing.
  function overlaps(svg) {
    const level = texts(svg).filter(({owner}) => Math.abs(owner.getScreenCTM().b) < 0.01);
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.35 * Math.min(a.height, b.height);
    return level.flatMap(
        (one, i) => level.slice(i + 1).filter((other) => meet(one.rect, other.rect)).map((other) => [one, other]));
  }

  // Where text and tables may be: within the slide's margins, or within their column.
  function roomOf(element, section) {
    const column = element.closest('.columns > div');
    if (column && column !== element) return column.getBoundingClientRect();
    const {left, right} = section.getBoundingClientRect();
    const {borderLeftWidth, paddingLeft, paddingRight} = getComputedStyle(section);
    return {
      left: left + parseFloat(borderLeftWidth) + parseFloat(paddingLeft),
      right: right - parseFloat(paddingRight)
    };
  }

  function heightFaults(section, add) {
    const advice = 'taller than the slide; take something away or make two slides of it';
    const {top, bottom} = section.getBoundingClientRect();
    const rects = [...section.children]
                      .filter((each) => !each.matches('footer, [hidden]'))
                      .map((each) => each.getBoundingClientRect());
    const below =
        Math.max(...rects.map((rect) => rect.bottom)) - (bottom - parseFloat(getComputedStyle(section).paddingBottom));
    const above = top - Math.min(...rects.map((rect) => rect.top));
    if (Math.max(below, above) > 1) add(`what is on it is ${px(Math.max(below, above))} ${advice}`);
    for (const column of section.querySelectorAll('.columns > div')) {
      const high = column.scrollHeight - column.clientHeight;
      if (high > 1) add(`a column is ${px(high)} ${advice}`);
    }
    for (const figure of section.querySelectorAll('.figure'))
      if (figure.getBoundingClientRect().height < 80) add('there is no room left for the figure; take text away');
  }

  function widthFaults(section, add) {
    for (const pre of section.querySelectorAll('pre')) {
      const code = pre.querySelector('code') ?? pre;
      const wide = Math.max(...[pre, code].map((each) => each.scrollWidth - each.clientWidth));
      if (wide <= 1) continue;
      const character = 0.602 * parseFloat(getComputedStyle(code).fontSize);
      const longest = pre.textContent.split('\n').reduce((most, line) => (line.length > most.length ? line : most), '');
      add(`the line of code ${said(longest)} is ${longest.length} characters, ${
          Math.ceil(wide / character)} too many; choose other lines, a wider column or the class code`);
    }
    for (const each of section.querySelectorAll('table, img, mjx-container > svg, .columns > div')) {
      const out = each.getBoundingClientRect().right - roomOf(each, section).right;
      const what = {table: 'a table', img: 'a picture', svg: 'a formula', div: 'a column'}[each.localName];
      if (out > 1) add(`${what} is ${px(out)} too wide: ${said(each.textContent)}; make it narrower`);
    }
  }

  function placeFault({owner, rect, text}, section) {
    const svg = figureOf(owner);
    if (svg) {
      const out = beyond(rect, drawn(svg));
      return out > 2 ? `in the figure the text ${said(text)} goes ${
                           px(out)} beyond the viewBox; move it or make the viewBox larger` :
                       null;
    }
    if (owner.closest('pre, footer')) return null;
    const room = roomOf(owner, section);
    const out = Math.max(rect.right - room.right, room.left - rect.left);
    return out > 2 ? `the text ${said(text)} goes ${px(out)} beyond its box; make it shorter` : null;
  }

  function contrastFault({owner, rect, text}) {
    const svg = figureOf(owner);
    const ink = colour(svg ? getComputedStyle(owner).fill : getComputedStyle(owner).color);
    const paper = svg ? figurePaper(svg, owner, rect) : paperUnder(owner);
    const ratio = contrast(over(ink, paper), paper);
    if (ratio >= 4.5) return null;
    return `${svg ? 'in the figure ' : ''}the text ${said(text)} has a contrast of ${
        (Math.floor(ratio * 10) / 10).toFixed(1)} to what is behind it; at least 4.5 can be read`;
  }

  // One sentence for each figure, block and table, about its smallest text.
  function sizeFaults(list, add) {
    const found = new Map();
    for (const {owner, text} of list) {
      const size = parseFloat(getComputedStyle(owner).fontSize) * scaleOf(owner);
      const least = owner.closest(small) ? 14 : 20;
      if (size >= least - 0.05) continue;
      const box = figureOf(owner) ?? owner.closest('pre, table') ?? owner;
      found.set(box, [...found.get(box) ?? [], {size, least, text}]);
    }
    for (const [box, all] of found) {
      const {size, least, text} = all.reduce((smallest, each) => (each.size < smallest.size ? each : smallest));
      const figure = box.matches('svg');
      const what = figure ? 'in the figure the text' : box.closest('code, pre') ? 'the code' : 'the text';
      const more = all.length - 1;
      const others = more ? `, and ${more} more beside it ${more === 1 ? 'is' : 'are'} too small` : '';
      const advice = figure ? '; make it larger or give the figure more room' : '';
      add(`${what} ${said(text)} is ${size.toFixed(1)} px where at least ${least} can be read${others}${advice}`);
    }
  }

  function faultsOf(section) {
    const faults = [];
    const add = (text) => faults.push({text, ofColour: false});
    heightFaults(section, add);
    widthFaults(section, add);
    for (const svg of section.querySelectorAll('.figure > svg'))
      for (const [one, other] of overlaps(svg))
        add(`in the figure the texts ${said(one.text)} and ${said(other.text)} lie on one another; move one`);
    const list = texts(section);
    sizeFaults(list, add);
    for (const each of list) {
      const place = placeFault(each, section);
      if (place) add(place);
      const pale = contrastFault(each);
      if (pale) faults.push({text: pale, ofColour: true});
    }
    return faults;
  }

  return [...document.querySelectorAll('section')].map(faultsOf);
}
