// Runs in the browser: for each slide the sentences about what does not fit, is too small or has too little contrast.
export function slideFaults() {
  const small = 'footer, .source, .path, sub, sup';
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

  function faultsOf(section) {
    const faults = [];
    const add = (text, ofColour = false) => faults.push({text, ofColour});
    const whole = section.getBoundingClientRect();
    const style = getComputedStyle(section);
    const room = {
      left: whole.left + parseFloat(style.borderLeftWidth),
      right: whole.right,
      top: whole.top,
      bottom: whole.bottom - parseFloat(style.paddingBottom),
    };
    const sides = {
      ...room,
      left: whole.left + parseFloat(style.paddingLeft),
      right: whole.right - parseFloat(style.paddingRight)
    };
    const content = [...section.children].filter((each) => !each.matches('footer, header'));
    const lowest = Math.max(...content.map((each) => each.getBoundingClientRect().bottom));
    if (lowest > room.bottom + 1)
      add(`what is on it is ${
          px(lowest - room.bottom)} taller than the slide; take something away or make two slides of it`);
    else if (content.length && content[0].getBoundingClientRect().top < room.top - 1)
      add(`what is on it is ${
          px(room.top -
             content[0]
                 .getBoundingClientRect()
                 .top)} taller than the slide; take something away or make two slides of it`);

    for (const pre of section.querySelectorAll('pre')) {
      const wide =
          Math.max(...[pre, ...pre.querySelectorAll('code')].map((each) => each.scrollWidth - each.clientWidth));
      if (wide <= 1) continue;
      const font = parseFloat(getComputedStyle(pre.querySelector('code') ?? pre).fontSize);
      const longest = pre.textContent.split('\n').reduce((most, line) => (line.length > most.length ? line : most), '');
      add(`the line of code ${said(longest)} is ${longest.length} characters, ${
          Math.ceil(wide / (font * 0.602))} too many; choose other lines, a wider column or the class code`);
    }
    for (const column of section.querySelectorAll('.columns > div')) {
      const high = column.scrollHeight - column.clientHeight;
      if (high > 1) add(`a column is ${px(high)} taller than the slide; take something away or make two slides of it`);
    }
    for (const each of section.querySelectorAll(
             'table, img, mjx-container > svg, .columns > div > *, .columns > div')) {
      const box = each.closest('.columns > div')?.parentElement === each.parentElement ?
          sides :
          each.closest('.columns > div')?.getBoundingClientRect() ?? sides;
      const rect = each.getBoundingClientRect();
      if (rect.right > box.right + 1)
        add(`${each.localName === 'table' ? 'a table' : 'something'} is ${px(rect.right - box.right)} too wide: ${
            said(each.textContent)}; make it narrower`);
    }
    for (const figure of section.querySelectorAll('.figure'))
      if (figure.getBoundingClientRect().height < 80) add('there is no room left for the figure; take text away');

    const tooSmall = new Map();  // the figure, block or table -> its smallest text
    for (const {owner, rect, text} of texts(section)) {
      const svg = figureOf(owner);
      if (svg) {
        const out = beyond(rect, drawn(svg));
        if (out > 2)
          add(`in the figure the text ${said(text)} goes ${
              px(out)} beyond the viewBox; move it or make the viewBox larger`);
      } else if (!owner.closest('pre') && !owner.closest('footer')) {
        const box = owner.closest('.columns > div')?.getBoundingClientRect() ?? sides;
        const out = Math.max(rect.right - box.right, box.left - rect.left);
        if (out > 2) add(`the text ${said(text)} goes ${px(out)} beyond its box; make it shorter`);
      }
      const size = parseFloat(getComputedStyle(owner).fontSize) * scaleOf(owner);
      const least = owner.closest(small) ? 14 : 20;
      if (size < least - 0.05) {
        const box = svg ?? owner.closest('pre, table') ?? owner;
        const known = tooSmall.get(box) ?? {count: 0, size: least, least, text};
        tooSmall.set(
            box,
            size < known.size ? {...known, count: known.count + 1, size, text} : {...known, count: known.count + 1});
      }
      const ink = colour(svg ? getComputedStyle(owner).fill : getComputedStyle(owner).color);
      const paper = svg ? figurePaper(svg, owner, rect) : paperUnder(owner);
      const ratio = contrast(over(ink, paper), paper);
      if (ratio < 4.5)
        add(`${svg ? 'in the figure ' : ''}the text ${said(text)} has a contrast of ${
                ratio.toFixed(1)} to what is behind it; at least 4.5 can be read`,
            true);
    }
    for (const [box, {count, size, least, text}] of tooSmall) {
      const figure = box.matches('svg');
      const what = figure ? 'in the figure the text' : box.closest('code, pre') ? 'the code' : 'the text';
      const others = count > 1 ? `, and ${count - 1} more beside it ${count === 2 ? 'is' : 'are'} too small` : '';
      const advice = figure ? '; make it larger or give the figure more room' : '';
      add(`${what} ${said(text)} is ${size.toFixed(1)} px where at least ${least} can be read${others}${advice}`);
    }
    return faults;
  }

  return [...document.querySelectorAll('section')].map(faultsOf);
}
