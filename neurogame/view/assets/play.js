// Searches by players: begun, watched, cancelled, and what they found.

function makePlayers(source, { onBusy, onSaid }) {
  let busy = false;

  // Returns what a player found, or null where the search was cancelled.
  async function think(order) {
    if (busy) throw new Refused('a search is under way; wait for it, or cancel it first');
    busy = true;
    onBusy(true);
    try {
      const { job } = await source.think(order);
      let pause = 30;
      for (;;) {
        const now = await source.job();
        if (now.job !== job) return null;
        if (now.stage === 'done') return now.found;
        if (now.stage === 'failed') throw new Refused(now.error);
        if (now.stage === 'cancelled') return null;
        onSaid(`${order.player} thinks, ${seconds(now.seconds)}${now.said ? ` – ${now.said}` : ''}`);
        await new Promise((done) => setTimeout(done, pause));
        pause = Math.min(pause * 1.5, 300);
      }
    } finally {
      busy = false;
      onBusy(false);
    }
  }

  return { think, cancel: () => source.cancel(), isBusy: () => busy };
}

function showFound(holder, found, role, roles, { onPlay, onStep, choicesOf, base }) {
  const search = found.search;
  const parts = [el('div', { class: 'best' },
    el('span', {}, `after ply ${base} chooses `, el('b', { class: 'text', textContent: found.move })),
    ...(onPlay ? [el('button', { type: 'button', textContent: 'Play it', onclick: () => onPlay(found.move) })] : []))];
  if (search) {
    const facts = [
      [`value for ${roles[role]}`, number(search.value[role])],
      ['proved', search.proved ? (search.plies ? `yes, over in ${search.plies} plies` : 'yes') : 'no'],
      ['depth', search.depth],
      ['states', search.nodes],
      ['visits', search.visits],
      ['simulations', search.simulations],
      ['playouts', search.playouts],
      ['valued', search.evaluations],
      ['time', seconds(search.seconds)],
    ].filter(([, value]) => value !== 0);
    const list = el('dl', { class: 'facts' });
    for (const [name, value] of facts) {
      list.append(el('div', {}, el('dt', { textContent: name }), el('dd', { textContent: typeof value === 'number' ? count(value) : value })));
    }
    parts.push(list);
    if (Object.keys(search.split).length) parts.push(...split(search));
    if (search.line.length) {
      const plies = search.line.map((joint, index) => el('span', {},
        el('small', { textContent: base + index + 1 }), jointText(joint, choicesOf(index))));
      parts.push(el('h3', { textContent: 'Principal line' }),
        el('p', { class: 'principal text' }, ...plies),
        el('button', { type: 'button', textContent: 'Step through it', onclick: () => onStep(search.line) }));
    }
    if (search.moves.length) parts.push(el('h3', { textContent: 'Moves searched' }), searched(search, role));
  } else {
    parts.push(el('p', { class: 'note', textContent: `after ${seconds(found.seconds)}; this player tells nothing of a search` }));
  }
  if (found.report) parts.push(el('details', {}, el('summary', { textContent: 'Before the match' }), el('pre', { textContent: found.report })));
  holder.replaceChildren(...parts);
}

function split(search) {
  const all = Object.entries(search.split).sort((a, b) => b[1] - a[1]);
  const sum = all.reduce((before, [, value]) => before + value, 0);
  const bar = el('div', { class: 'split', role: 'img', 'aria-label': 'where the time went' });
  all.forEach(([, value], index) => {
    const piece = el('i');
    piece.style.width = `${(100 * value) / sum}%`;
    piece.style.background = colourAt(index);
    bar.append(piece);
  });
  const key = all.map(([name, value], index) => {
    const sample = el('i', { class: 'swatch' });
    sample.style.background = colourAt(index);
    return el('span', {}, sample, `${name} ${seconds(value)}`);
  });
  return [bar, el('p', { class: 'key' }, ...key)];
}

function searched(search, role) {
  const hasTries = search.moves.some((move) => move.tries);
  const most = Math.max(...search.moves.map((move) => (hasTries ? move.tries ?? 0 : move.score ?? 0)), 1e-9);
  return el('ul', { class: 'moves' }, ...search.moves.slice(0, 40).map((move) => {
    const bar = el('span', { class: 'bar' }, el('i'));
    bar.firstChild.style.width = `${(100 * Math.max(hasTries ? move.tries ?? 0 : move.score ?? 0, 0)) / most}%`;
    bar.firstChild.style.background = colourOf(role);
    const numbers = hasTries ? `${count(move.tries ?? 0)} · ${number(move.score)}` : number(move.score);
    return el('li', {}, el('div', { class: 'move wide' },
      el('span', { class: 'text', textContent: move.text }), bar, el('b', { textContent: numbers })));
  }));
}
