// The panels beside the board: moves with their values, and what a value is made of.

function showOutlook(holder, roles, values, goals) {
  const numbers = goals ? goals.map((goal) => (goal === null ? null : goal / 100)) : values;
  holder.replaceChildren(...roles.flatMap((role, index) => {
    if (index === boot.chance) return [];
    const bar = el('span', { class: 'bar' }, el('i'));
    const share = numbers?.[index] ?? 0;
    bar.firstChild.style.width = `${100 * share}%`;
    bar.firstChild.style.background = colourOf(index);
    const text = goals ? `goal ${goals[index] === null ? 'none' : goals[index]}` : number(numbers?.[index]);
    return el('div', {}, el('span', { class: 'role', textContent: role }), bar, el('b', { textContent: text }));
  }));
}

// Rows of moves; what is not known yet stands in the order of the rules, without a bar.
function showMoves(holder, moves, { values, measure, colour, played, chosen, onMove, onPoint, isLive }) {
  const known = new Map((values ?? []).map((own) => [own.text, own.value]));
  const rows = [...moves];
  if (values) {
    const rank = new Map(values.map((own, index) => [own.text, index]));
    rows.sort((a, b) => (rank.get(a.text) ?? 1e9) - (rank.get(b.text) ?? 1e9));
  }
  const all = [...known.values()];
  const least = measure === 'value' || measure === 'share' ? 0 : Math.min(...all, 0);
  const most = measure === 'value' ? 1 : Math.max(...all, least + 1e-9);
  // Values arrive after the moves and sort them: whoever is on one with the keyboard stays on it.
  const focused = holder.contains(document.activeElement) ? document.activeElement.dataset.move : undefined;
  holder.replaceChildren(...rows.map((move) => {
    const value = known.get(move.text);
    const bar = el('span', { class: 'bar' }, el('i'));
    bar.firstChild.style.width = value === undefined ? '0' : `${(100 * (value - least)) / (most - least)}%`;
    bar.firstChild.style.background = colour;
    const row = el(
      isLive ? 'button' : 'div',
      { class: 'move' },
      el('span', { class: 'text', textContent: move.text }),
      bar,
      el('b', { textContent: value === undefined ? '' : number(value) }),
    );
    if (isLive) {
      row.type = 'button';
      row.dataset.move = move.text;
      row.addEventListener('click', () => onMove(move.text));
      if (chosen === move.text) row.setAttribute('aria-pressed', 'true');
    }
    if (played === move.text) row.classList.add('played');
    for (const name of ['pointerenter', 'focus']) row.addEventListener(name, () => onPoint(move.squares));
    for (const name of ['pointerleave', 'blur']) row.addEventListener(name, () => onPoint([]));
    return el('li', {}, row);
  }));
  [...holder.querySelectorAll('button')].find((row) => row.dataset.move === focused)?.focus();
}

// A part of a view as notebooks show it, made of a list: name, style, squares, what is in it.
function built([name, style, squares, ...inside], onPoint = () => {}) {
  const made = el(name, squares.length ? { tabIndex: 0 } : {}, ...inside.map((own) => (typeof own === 'string' ? own : built(own, onPoint))));
  made.style.cssText = style;
  for (const event of squares.length ? ['pointerenter', 'focus'] : []) made.addEventListener(event, () => onPoint(squares));
  for (const event of squares.length ? ['pointerleave', 'blur'] : []) made.addEventListener(event, () => onPoint([]));
  return made;
}

function showLine(holder, line, ply, choicesOf, onPly) {
  const chip = (index, text, label) => {
    const made = el('button', { type: 'button', class: 'chip', onclick: () => onPly(index) });
    made.append(...(label ? [el('span', { class: 'number', textContent: label }), ' '] : []), text);
    if (index === ply) made.setAttribute('aria-current', 'step');
    return el('li', {}, made);
  };
  holder.replaceChildren(
    chip(0, 'start', ''),
    ...line.map((joint, index) => chip(index + 1, jointText(joint, choicesOf(index)), String(index + 1))),
  );
  const current = holder.querySelector('[aria-current]');
  // Only the list itself scrolls, never the page.
  if (current) holder.scrollTop = current.offsetTop - holder.offsetTop - holder.clientHeight / 2 + current.clientHeight / 2;
}

function showRun(holder, note, found) {
  note.textContent = found.rows
    ? `${count(found.rows)} measurements so far; looks for new ones every few seconds. Dotted: releases.`
    : 'Nothing measured yet; the first numbers come after some seconds of learning.';
  byId('run-told').textContent = found.told ? `${found.told[0].toUpperCase()}${found.told.slice(1)}.` : '';
  const measured = [[true, found.strength], [false, found.forecasts]].filter(([, lines]) => lines.length)
    .map(([share, lines]) => [share, lines.map((line, index) => ({ ...line, colour: colourAt(index) }))]);
  const single = found.curves.map((curve, index) => [curve.share, [{ name: curve.name, colour: colourAt(index), points: curve.points }]]);
  const charts = [...measured, ...single];
  const figures = charts.map(() => el('div', { class: 'figure' }));
  // They are drawn as wide as they are, so they have to be on the page first.
  holder.replaceChildren(...figures);
  charts.forEach(([isShare, lines], index) => drawChart(figures[index], lines, {
    low: isShare ? 0 : undefined,
    high: isShare ? 1 : undefined,
    marks: found.across === 'seconds' ? found.releases : [],
    xLabel: found.across,
    label: `${names(lines.map((line) => line.name))}, by ${found.across}`,
  }));
}

// What the run has learned, by examples; onLine shows the last position of a line, or its first.
function showStory(holder, found, onLine) {
  const step = (line, text, at) => el('button', { type: 'button', class: 'wide', textContent: text, onclick: () => onLine(line, at) });
  const part = (title, ...inside) => [el('h3', { textContent: title }), ...inside];
  holder.replaceChildren(
    ...(found.likes.length ? part('What it likes', el('div', { class: 'panel' }, ...found.likes.map((own) => (typeof own === 'string' ? el('p', { textContent: own }) : built(own))))) : []),
    ...part('What it misjudges, one ply ahead', ...(found.mistakes.length
      ? found.mistakes.map((own) => step(own.line, own.text, own.line.length))
      : [el('p', { class: 'note', textContent: 'No position was found in which its move loses what can be proved.' })])),
    ...part('Against a former self', found.match.line.length
      ? step(found.match.line, found.match.text, 0)
      : el('p', { class: 'note', textContent: found.match.text })),
  );
}
