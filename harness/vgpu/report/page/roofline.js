// How fast the kernel can be at best: arithmetic against memory traffic, both axes logarithmic.

function roofline(data, kernel) {
  const device = data.device;
  const precision = ['fp64', 'fp32', 'fp16'].reduce(
      (most, name) => (kernel.operations[name] > kernel.operations[most] ? name : most), 'fp32');
  const peak = precision === 'fp64' && device.fp64_flops_per_second !== null ? device.fp64_flops_per_second :
                                                                               device.fp32_flops_per_second;
  const bandwidth = device.dram_bytes_per_second;
  if (!(peak > 0 && bandwidth > 0)) return null;
  const operations = kernel.operations.fp16 + kernel.operations.fp32 + kernel.operations.fp64;
  const bytes = kernel.memory.dram_read_bytes + kernel.memory.dram_write_bytes;
  const ridge = peak / bandwidth;
  const intensity = bytes > 0 ? operations / bytes : 0;

  const width = 360, height = 230, left = 52, right = 12, top = 14, bottom = 40;
  const decades = [
    Math.floor(Math.log10(Math.min(ridge, intensity || 1)) - 0.7),
    Math.ceil(Math.log10(Math.max(ridge, intensity || 1)) + 0.7)
  ];
  const lowest = Math.floor(Math.log10(10 ** decades[0] * bandwidth));
  const highest = Math.ceil(Math.log10(peak) + 0.05);
  const x = (value) => left + ((Math.log10(value) - decades[0]) / (decades[1] - decades[0])) * (width - left - right);
  const y = (value) => height - bottom - ((Math.log10(value) - lowest) / (highest - lowest)) * (height - top - bottom);
  const begin = 10 ** decades[0];
  const end = 10 ** decades[1];

  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': 'Roofline: operations per second against operations per byte of memory traffic'
  });
  for (let decade = decades[0]; decade <= decades[1]; ++decade) {
    const value = 10 ** decade;
    picture.append(
        svg('line', {class: 'grid', x1: x(value), x2: x(value), y1: top, y2: height - bottom}),
        svg('text', {
          class: 'tick',
          x: x(value),
          y: height - bottom + 14,
          'text-anchor': decade === decades[1] ? 'end' : 'middle'
        },
            decade < 0 ? value.toFixed(-decade) : commas(value)));
  }
  for (let decade = lowest; decade <= highest; ++decade)
    picture.append(
        svg('line', {class: 'grid', x1: left, x2: width - right, y1: y(10 ** decade), y2: y(10 ** decade)}),
        svg('text', {class: 'tick', x: left - 5, y: y(10 ** decade) + 4, 'text-anchor': 'end'},
            scaled(10 ** decade, '').replace(/\.0+(?= )/, '')));
  picture.append(
      svg('text', {class: 'tick', x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle'},
          'operations per byte from memory'),
      svg('path',
          {class: 'roof', d: `M${x(begin)} ${y(begin * bandwidth)}L${x(ridge)} ${y(peak)}L${x(end)} ${y(peak)}`}),
      svg('text', {class: 'label', x: x(end) - 4, y: y(peak) - 6, 'text-anchor': 'end'},
          `${precision}: ${scaled(peak, 'FLOP/s')}`));
  const middle = Math.sqrt(begin * ridge);
  const slope = (Math.atan2(y(ridge * bandwidth) - y(begin * bandwidth), x(ridge) - x(begin)) * 180) / Math.PI;
  picture.append(
      svg('text', {
        class: 'label',
        x: x(middle),
        y: y(middle * bandwidth) - 7,
        'text-anchor': 'middle',
        transform: `rotate(${slope} ${x(middle)} ${y(middle * bandwidth) - 7})`
      },
          `memory: ${scaled(bandwidth, 'B/s')}`));
  const at = intensity > 0 ? Math.max(intensity, begin) : begin;
  if (bytes > 0 || operations > 0) {
    const place = bytes > 0 ? at : end;
    const bound = Math.min(peak, place * bandwidth);
    picture.append(
        svg('line', {class: 'drop', x1: x(place), x2: x(place), y1: y(bound), y2: height - bottom}),
        svg('circle', {class: 'kernel', cx: x(place), cy: y(bound), r: 6}),
        svg('text', {
          class: 'label strong',
          x: x(place) + (place < ridge ? 8 : -8),
          y: (y(bound) + height - bottom) / 2 + 4,
          'text-anchor': place < ridge ? 'start' : 'end'
        },
            'this kernel, at best'));
  }

  let caption;
  if (bytes === 0)
    caption = `All data stayed in the caches: no byte came from memory.`;
  else if (operations === 0)
    caption = `This kernel does no floating-point operations: only memory limits it. The ${
        scaled(bytes, 'B')} that the caches did not keep take at least ${timeText((1e9 * bytes) / bandwidth)}.`;
  else if (intensity < ridge)
    caption = `${one(intensity)} operations per byte from memory: memory is the limit. Its ${
        scaled(bytes, 'B')} take at least ${timeText((1e9 * bytes) / bandwidth)}; the arithmetic alone would take ${
        timeText((1e9 * operations) / peak)}.`;
  else
    caption = `${one(intensity)} operations per byte from memory: arithmetic is the limit. It takes at least ${
        timeText((1e9 * operations) / peak)}; the ${scaled(bytes, 'B')} of traffic would take ${
        timeText((1e9 * bytes) / bandwidth)}.`;
  return el(
      'figure', {class: 'roofline'}, operations > 0 && picture,
      el('figcaption', {}, caption, el('span', {class: 'dim'}, ` ${device.name}: its limits, not a measurement.`)));
}
