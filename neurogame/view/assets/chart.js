// Charts of a few lines: points [x, y] or, with an interval, [x, y, low, high].

function drawChart(holder, lines, { low, high, xLabel, at = null, marks = [], onPick = null, digits = 2, label }) {
  // One unit is a pixel, so that texts are as large on a small screen.
  const width = Math.max(240, Math.min(holder.clientWidth || 560, 900)), height = 170, left = 44, right = 12, top = 10, bottom = 26;
  const all = lines.flatMap((line) => line.points);
  if (!all.length) { holder.replaceChildren(); return; }
  const xs = all.map((point) => point[0]), ys = all.flatMap((point) => point.slice(1));
  const x0 = Math.min(...xs), x1 = Math.max(...xs, x0 + 1e-9);
  const y0 = low ?? Math.min(...ys), y1 = Math.max(high ?? Math.max(...ys), y0 + 1e-9);
  const place = (x, y) => [
    left + ((x - x0) / (x1 - x0 || 1)) * (width - left - right),
    top + (1 - (y - y0) / (y1 - y0)) * (height - top - bottom),
  ];
  const chart = svgEl('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': label });
  for (const share of [0, 0.5, 1]) {
    const y = y0 + share * (y1 - y0), [, py] = place(x0, y);
    chart.append(svgEl('line', { x1: left, x2: width - right, y1: py, y2: py, class: 'grid' }));
    chart.append(svgEl('text', { x: left - 6, y: py + 4, 'text-anchor': 'end' }, short(y, digits)));
  }
  chart.append(svgEl('text', { x: left, y: height - 8 }, short(x0, 0)));
  chart.append(svgEl('text', { x: width - right, y: height - 8, 'text-anchor': 'end' }, `${short(x1, 0)} ${xLabel}`));
  for (const x of marks.filter((mark) => mark >= x0 && mark <= x1)) {
    const [px] = place(x, y0);
    chart.append(svgEl('line', { x1: px, x2: px, y1: top, y2: height - bottom, class: 'release' }));
  }
  for (const line of lines) {
    for (const [x, , from, to] of line.points) {
      if (from === undefined) continue;
      const [px, a] = place(x, from), [, b] = place(x, to);
      chart.append(svgEl('line', { x1: px, x2: px, y1: a, y2: b, stroke: line.colour, class: 'interval' }));
    }
    const points = line.points.map(([x, y]) => place(x, y).map((v) => v.toFixed(1)).join(',')).join(' ');
    chart.append(svgEl('polyline', { points, stroke: line.colour, class: 'curve' }));
    if (line.points.length <= 60) {
      for (const [x, y] of line.points) {
        const [cx, cy] = place(x, y);
        chart.append(svgEl('circle', { cx, cy, r: line.points.length > 30 ? 2 : 3, fill: line.colour }));
      }
    }
  }
  if (at !== null) {
    const [px] = place(Math.min(Math.max(at, x0), x1), y0);
    chart.append(svgEl('line', { x1: px, x2: px, y1: top, y2: height - bottom, class: 'now' }));
  }
  if (onPick) {
    chart.classList.add('pick');
    chart.addEventListener('click', (event) => {
      const box = chart.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * width;
      onPick(x0 + Math.min(Math.max((x - left) / (width - left - right), 0), 1) * (x1 - x0));
    });
  }
  const key = lines.map((line) => {
    const sample = svgEl('svg', { viewBox: '0 0 14 10', class: 'sample' });
    sample.append(svgEl('line', { x1: 0, x2: 14, y1: 5, y2: 5, stroke: line.colour, 'stroke-width': 3 }));
    return el('span', {}, sample, line.name);
  });
  holder.replaceChildren(chart, el('p', { class: 'key' }, ...key));
}

function short(value, digits) {
  if (Math.abs(value) >= 10000) return value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
  return value.toFixed(Math.abs(value) >= 100 ? 0 : digits);
}
