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

function showFound(holder, found, role, roles, { onPlay, onStep, base }) {
  const search = found.search;
  const parts = [el('div', { class: 'best' },
    el('span', {}, `after ply ${base} chooses `, el('b', { class: 'text', textContent: found.move })),
    ...(onPlay ? [el('button', { type: 'button', textContent: 'Play it', onclick: () => onPlay(found.move) })] : []))];
  if (search) {
    parts.push(el('div', { class: 'panel' }, built(search.panel)));
    if (search.line.length) parts.push(el('button', { type: 'button', textContent: 'Step through what is expected', onclick: () => onStep(search.line) }));
  } else {
    parts.push(el('p', { class: 'note', textContent: `after ${seconds(found.seconds)}; this player tells nothing of a search` }));
  }
  if (found.report) parts.push(el('details', {}, el('summary', { textContent: 'Before the match' }), el('pre', { textContent: found.report })));
  holder.replaceChildren(...parts);
}
