// What is asked for once a board is shown: values, curves, contributions. One question at a time:
// who steps fast through a match waits for no answers about positions that are gone.

// Only the newest question of a kind is answered to the page; older ones are dropped.
const asked = {};
function newest(kind) {
  const mine = (asked[kind] = (asked[kind] ?? 0) + 1);
  return () => asked[kind] === mine;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const drawn = { choices: '', curve: '' };

// Does one piece of work at a time: the newest that was asked for while the one before went on.
function lane(kind, work) {
  let before = Promise.resolve();
  return async () => {
    const isWanted = newest(kind);
    await before;
    if (!isWanted()) return;
    const now = work(isWanted);
    before = now.catch(() => {});
    await now;
  };
}

const judge = lane('judge', async (isWanted) => {
  if (source.isLive) await pause(40);
  for (const step of [choices, value, curve]) {
    if (!isWanted()) return;
    await step(isWanted);
  }
});

// Contributions take longest: they are asked for where the page stands still for a moment.
const takeApart = lane('why', async (isWanted) => {
  if (source.isLive) await pause(byId('paint').checked ? 60 : 250);
  if (isWanted()) await explain(isWanted);
});

function details() {
  drawWhyMoves(byId('why-move').value, byId('why-rather').value);
  return Promise.all([judge(), takeApart()]);
}

// How many moves roles had to choose from, all along the line: moves without a choice are not shown.
async function choices() {
  const key = JSON.stringify(view.line);
  if (drawn.choices === key) return;
  const found = await attempt(() => source.choices(view.line), () => {});
  if (!found || key !== JSON.stringify(view.line)) return;
  drawn.choices = key;
  view.choices = found.choices;
  drawLine();
}

async function value(isWanted) {
  if (view.values) return;
  const note = (text) => { byId('moves-note').textContent = text; };
  const found = await attempt(() => source.values(prefix(), byId('judge').value, isWanted, note), note);
  if (!found || !isWanted()) return;
  view.values = found;
  drawMoves();
}

async function curve(isWanted) {
  const key = JSON.stringify([view.line, byId('judge').value]);
  if (drawn.curve !== key) {
    const found = await attempt(() => source.curve(view.line, byId('judge').value, isWanted), () => {});
    if (!found || !isWanted()) return;
    drawn.curve = key;
    view.curve = found.values;
  }
  drawCurve();
}

function drawCurve() {
  byId('curve-card').hidden = !view.curve || view.line.length === 0;
  if (byId('curve-card').hidden) return;
  const lines = boot.roles.map((name, role) => ({ name, colour: colourOf(role), points: view.curve.map((row, ply) => [ply, row[role]]) })).filter((_, role) => role !== boot.chance);
  drawChart(byId('curve'), lines, { low: 0, high: 1, xLabel: view.line.length === 1 ? 'ply' : 'plies', at: view.ply, digits: 1, onPick: (ply) => go(Math.round(ply)), label: 'values of all roles by ply' });
}

async function explain(isWanted) {
  const sum = byId('why-sum');
  const isJudge = byId('judge').value !== 'values';
  byId('why-card').hidden = !source.hasWhy;
  if (byId('why-card').hidden) return;
  const of = byId('why-move').value, rather = byId('why-rather').value;
  const question = {
    line: prefix(), judge: byId('judge').value, role: of || isJudge ? view.role : Number(byId('why-role').value || 0),
    method: byId('why-method').value || null, listing: byId('why-listing').value || null,
    move: of || null, rather: of || isJudge ? rather || null : null,
  };
  const late = setTimeout(() => { sum.textContent = 'Being worked out …'; }, 250);
  const found = await attempt(
    () => source.explain(question, isWanted, (text) => { sum.textContent = text; }),
    (text) => { sum.textContent = text; byId('why').replaceChildren(); },
  );
  clearTimeout(late);
  if (!found || !isWanted()) return;
  // A judge of moves says something of the move itself, an evaluator of the position after it.
  const after = found.move ? ` ${isJudge ? 'by' : 'after'} ${found.move}${question.rather ? `, rather than ${rather}` : ''}` : '';
  byId('why-role').value = String(found.role);
  options(byId('why-method'), found.methods.map((name) => [name, name]), found.method);
  options(byId('why-listing'), found.listings.map((name) => [name, name]), found.listing);
  explained = { ...found, caption: `Painted: what squares add for ${boot.roles[found.role]}${after}. Blue is good, red is bad.` };
  byId('why-card').classList.remove('stale');
  sum.textContent = found.note;
  byId('why').replaceChildren(built(found.panel, (squares) => board.mark('hint', squares)));
  if (byId('paint').checked) drawBoard();
}
