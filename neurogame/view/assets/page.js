// The page: which position is shown, and what happens when something is pressed.

const view = {
  line: boot.line, ply: 0, position: null, values: null, role: 0, picked: [], chosen: {}, playing: false,
  choices: [], curve: null, seats: boot.roles.map((_, role) => (role === boot.chance ? 'random' : '')),
};
let source = null, board = null, players = null, explained = null;

const prefix = (ply = view.ply) => view.line.slice(0, ply);
const isRecorded = () => boot.kind === 'match' && JSON.stringify(view.line) === JSON.stringify(boot.line);
const deciding = () => view.position.legal.flatMap((own, role) => (own.length > 1 ? [role] : []));
const isOver = () => view.position.terminal || view.position.stuck;
// The moves of the shown role; where nobody has a choice, the one joint move that there is.
const listed = () => {
  const { legal } = view.position;
  if (isOver() || deciding().length) return legal[view.role] ?? [];
  const only = legal.find((own) => own[0].squares.length) ?? legal[0];
  return [{ text: jointText(legal.map((own) => own[0].text)), squares: only[0].squares }];
};
const say = (text, isError = false) => {
  byId('status').textContent = text;
  byId('status').classList.toggle('error', isError);
};

// Runs what may be refused; a refusal is a line on the page.
async function attempt(work, report = (text) => say(text, true)) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    report(error.message);
    return undefined;
  }
}

async function go(ply) {
  const wanted = Math.min(Math.max(ply, 0), view.line.length);
  const isWanted = newest('position');
  const found = await attempt(() => source.position(prefix(wanted)));
  if (!found || !isWanted()) return;
  const isNew = view.ply !== wanted || view.position !== found;
  Object.assign(view, { ply: wanted, position: found });
  if (isNew) Object.assign(view, { values: null, picked: [], chosen: {} });
  if (!deciding().includes(view.role)) view.role = deciding()[0] ?? 0;
  explained = null;
  byId('why-card').classList.add('stale');
  draw();
  playOn();
  for (const next of [wanted + 1, wanted - 1]) {
    if (next >= 0 && next <= view.line.length) source.position(prefix(next)).catch(() => {});
  }
  await details();
}

function draw() {
  drawBoard();
  const { ply, line, position } = view;
  byId('ply').max = line.length;
  byId('ply').value = ply;
  byId('count').textContent = `${ply} / ${line.length}`;
  for (const id of ['first', 'previous']) byId(id).disabled = ply === 0;
  for (const id of ['next', 'last']) byId(id).disabled = ply === line.length;
  drawLine();
  drawMoves();
  const remarks = isRecorded() ? boot.remarks[ply] ?? [] : [];
  byId('remarks').replaceChildren(...remarks.map((text) => el('li', { textContent: text })));
  if (position.terminal) say(`The game is over: ${boot.roles.map((role, index) => `${role} ${position.goals[index] ?? 'no goal'}`).join(', ')}.`);
  else if (position.stuck) say('A role has no legal move here, and the game is not over: the rules are at fault.');
  else {
    const who = names(deciding().map((role) => boot.roles[role]));
    const end = isRecorded() && boot.ending && ply === line.length ? ` The record ends here (${boot.ending}).` : '';
    say(`Ply ${ply}: ${who ? `${who} to choose` : 'there is only one move'}.${end}`);
  }
  if (source.isLive) {
    byId('undo').disabled = ply === 0;
    byId('search').disabled = players.isBusy() || isOver();
  }
}

const drawLine = () => showLine(byId('line'), view.line, view.ply, (index) => view.choices[index], go);

function drawBoard() {
  const touchable = new Map();
  if (source.isLive && !isOver()) {
    for (const move of listed()) {
      for (const square of move.squares) touchable.set(square, [...(touchable.get(square) ?? []), move.text]);
    }
  }
  for (const [square, moves] of touchable) {
    touchable.set(square, moves.length === 1 ? moves[0] : `${moves.length} moves, such as ${moves[0]}`);
  }
  const isPainted = byId('paint').checked && explained;
  board.show(isPainted ? explained.svg : view.position.svg, touchable);
  byId('caption').textContent = isPainted ? explained.caption : '';
  markPicked();
}

function candidates(picked) {
  return listed().filter((move) => picked.every((square) => move.squares.includes(square)));
}

function markPicked() {
  board.mark('picked', view.picked);
  board.mark('candidate', view.picked.length ? candidates(view.picked).flatMap((move) => move.squares) : []);
}

// Squares narrow the moves down until one is left: that is played.
function pickSquare(square) {
  if (view.picked.includes(square)) {
    view.picked = [];
    say('Nothing picked.');
  } else {
    let picked = [...view.picked, square];
    if (!candidates(picked).length) picked = [square];
    const found = candidates(picked);
    if (found.length === 1) { choose(found[0].text); return; }
    view.picked = picked;
    say(`${found.length} moves there: click another square, or one of ${found.slice(0, 4).map((move) => move.text).join(', ')}${found.length > 4 ? ' …' : '.'}`);
  }
  markPicked();
}

function drawMoves() {
  const { position, values } = view;
  const roles = deciding();
  byId('roles').replaceChildren(...(roles.length > 1 ? roles : []).map((role) => {
    const tab = el('button', { type: 'button', textContent: boot.roles[role], onclick: () => { view.role = role; view.picked = []; drawBoard(); drawMoves(); } });
    tab.setAttribute('aria-pressed', String(role === view.role));
    return tab;
  }));
  const isValued = byId('judge').value === 'values' || position.goals;
  showOutlook(byId('outlook'), isValued ? boot.roles : [], values?.state, position.goals);
  const own = listed();
  showMoves(byId('moves'), own, {
    values: values?.moves[view.role], measure: values?.measure, colour: colourOf(view.role),
    played: roles.length ? view.line[view.ply]?.[view.role] : own[0]?.text, chosen: view.chosen[view.role], isLive: source.isLive,
    onMove: choose, onPoint: (squares) => board.mark('hint', squares),
  });
  const waiting = roles.length > 1 ? roles.filter((role) => view.chosen[role] === undefined).map((role) => boot.roles[role]) : [];
  byId('moves-note').textContent = isOver() ? 'No moves: the game is over.'
    : waiting.length ? `All move at once. Still to choose: ${waiting.join(', ')}.`
    : roles.length ? `${own.length} moves.` : '';
}

// Takes a move of the shown role; once every role has one, the joint move is made.
async function choose(text, role = view.role) {
  if (!source.isLive || isOver()) return;
  view.chosen[role] = text;
  view.picked = [];
  const roles = deciding();
  const missing = roles.filter((own) => view.chosen[own] === undefined);
  if (missing.length) {
    view.role = missing.find((own) => !view.seats[own]) ?? missing[0];
    drawBoard();
    drawMoves();
    playOn();
    return;
  }
  const joint = view.position.legal.map((own, index) => (own.length > 1 ? view.chosen[index] : own[0].text));
  const isNext = JSON.stringify(view.line[view.ply]) === JSON.stringify(joint);
  if (!isNext) view.line = [...prefix(), joint];
  view.choices = view.choices.slice(0, view.ply);
  view.choices.push(view.position.legal.map((own) => own.length));
  await go(view.ply + 1);
}

// What can be taken apart: this position, where positions are valued, and the moves of the shown role.
function drawWhyMoves(move, rather) {
  const own = view.position.legal[view.role] ?? [];
  const usable = source.isLive && !isOver() && own.length > 1;
  const isValued = byId('judge').value === 'values';
  for (const id of ['why-move', 'why-rather']) byId(id).disabled = !usable;
  const rows = usable ? own.map((one) => [one.text, one.text]) : [];
  options(byId('why-move'), [['', isValued ? 'this position' : 'the best move'], ...rows], move);
  options(byId('why-rather'), [['', 'nothing'], ...rows], rather);
}

// Asks the players of roles that have a choice, as long as they are let.
async function playOn() {
  if (!view.playing || players.isBusy() || isOver() || view.ply !== view.line.length) return;
  // Where nobody has a choice the game goes on by itself.
  if (!deciding().length) { await choose(view.position.legal[0][0].text, 0); return; }
  const role = deciding().find((own) => view.seats[own] && view.chosen[own] === undefined);
  if (role === undefined) return;
  const line = prefix();
  const found = await attempt(() => players.think({ line, role, player: view.seats[role] }), stopPlaying);
  if (!found) { stopPlaying('Cancelled.'); return; }
  if (JSON.stringify(line) !== JSON.stringify(prefix())) { playOn(); return; }
  present(found, role, line, true);
  await choose(found.move, role);
}

function stopPlaying(text) {
  view.playing = false;
  byId('playing').setAttribute('aria-pressed', 'false');
  byId('thinking').textContent = text;
}

function present(found, role, at, isPlayed = false) {
  byId('thinking').textContent = `${found.player} as ${boot.roles[role]}, ${seconds(found.seconds)}${found.start_seconds > 0.5 ? `, ready after ${seconds(found.start_seconds)}` : ''}`;
  showFound(byId('found'), found, role, boot.roles, {
    base: at.length,
    onPlay: isPlayed ? null : async (move) => { view.line = at; await go(at.length); await choose(move, role); },
    onStep: (line) => { view.line = [...at, ...line]; go(at.length + 1); },
  });
}

async function search() {
  const role = view.role, line = prefix(), player = byId('searcher').value.trim();
  const report = (text) => { byId('thinking').textContent = text; };
  const found = await attempt(() => players.think({ line, role, player }), report);
  if (found) present(found, role, line);
  else if (found === null) report('Cancelled.');
}

function setUpPlay() {
  byId('seats').replaceChildren(...boot.roles.flatMap((role, index) => {
    if (index === boot.chance) return [];
    const input = el('input', { id: `seat-${index}`, placeholder: 'by hand', spellcheck: false, autocomplete: 'off' });
    input.setAttribute('list', 'players');
    input.addEventListener('change', () => { view.seats[index] = input.value.trim(); playOn(); });
    return el('div', { class: 'field' }, el('label', { htmlFor: input.id, textContent: `${role} is played by` }), input);
  }));
  const known = [boot.opponent, 'mcts:seconds=1', 'auto', 'heuristic,seconds=1', 'random', ...boot.fresh.map((kind) => `alphabeta:${kind},depth=2`)];
  byId('players').replaceChildren(...[...new Set(known)].map((value) => el('option', { value })));
  byId('searcher').value = boot.opponent;
  byId('search').addEventListener('click', search);
  byId('searcher').addEventListener('keydown', (event) => { if (event.key === 'Enter' && !players.isBusy()) search(); });
  byId('cancel').addEventListener('click', () => attempt(() => players.cancel()));
  byId('playing').addEventListener('click', () => {
    view.playing = !view.playing;
    byId('playing').setAttribute('aria-pressed', String(view.playing));
    if (view.playing && !view.seats.some(Boolean)) stopPlaying('Say first who plays a role: a player string in its field, such as random.');
    else if (!view.playing) attempt(() => players.cancel());
    playOn();
  });
  byId('restart').addEventListener('click', async () => { view.line = []; await go(0); });
  byId('undo').addEventListener('click', async () => { view.line = prefix(Math.max(view.ply - 1, 0)); await go(view.ply - 1); });
}

function setUpSteps() {
  byId('first').addEventListener('click', () => go(0));
  byId('previous').addEventListener('click', () => go(view.ply - 1));
  byId('next').addEventListener('click', () => go(view.ply + 1));
  byId('last').addEventListener('click', () => go(view.line.length));
  byId('ply').addEventListener('input', () => go(Number(byId('ply').value)));
  const keys = { ArrowLeft: () => go(view.ply - 1), ArrowRight: () => go(view.ply + 1), Home: () => go(0), End: () => go(view.line.length) };
  document.addEventListener('keydown', (event) => {
    // Where keys have a meaning of their own they keep it.
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, select, textarea')) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function nameJudges(judges, by) {
  options(byId('judge'), judges.map((name) => [name, name === 'values' ? by : `${name} of ${by}`]), byId('judge').value);
}

function setUpPanels() {
  nameJudges(boot.judges, boot.judgedBy);
  options(byId('why-role'), boot.roles.map((name, role) => [String(role), name]).filter(([role]) => role !== String(boot.chance)));
  byId('judge').addEventListener('change', () => { view.values = null; details(); });
  for (const id of ['why-role', 'why-method', 'why-listing', 'why-move', 'why-rather']) byId(id).addEventListener('change', details);
  byId('paint').addEventListener('change', drawBoard);
}

async function tellStory() {
  const say = (text) => { byId('story').replaceChildren(el('p', { class: 'note', textContent: `${text} …` })); };
  const found = await attempt(() => source.story(say), say);
  if (found) showStory(byId('story'), found, (line, at) => { view.line = line; go(at); });
}

async function watchRun() {
  let stamp = null, releases = null;
  for (;;) {
    const found = await attempt(() => source.run(), (text) => { byId('run-note').textContent = text; });
    if (found) {
      showRun(byId('run'), byId('run-note'), found);
      nameJudges(found.judges, found.judgedBy);
      if (stamp !== null && stamp !== found.stamp) {
        drawn.curve = '';
        view.values = null;
        await details();
      }
      stamp = found.stamp;
      if (releases !== found.releases.length) tellStory();
      releases = found.releases.length;
    }
    await new Promise((done) => setTimeout(done, 4000));
  }
}

async function begin() {
  document.title = `${boot.game} · neurogame`;
  byId('title').textContent = boot.game;
  const what = { game: 'a game', checkpoint: `checkpoint ${boot.title}`, match: `match ${boot.title}`, run: `training run ${boot.title}` }[boot.kind];
  byId('about').textContent = `${what}${boot.players.length ? ` · ${boot.roles.map((role, index) => `${role}: ${boot.players[index] ?? '?'}`).join(', ')}` : ''}`;
  source = boot.packed ? await fileSource(boot.packed) : serverSource();
  board = makeBoard(byId('board'), pickSquare);
  players = makePlayers(source, {
    onBusy: (busy) => { byId('search').disabled = busy || isOver(); byId('cancel').disabled = !busy; },
    onSaid: (text) => { byId('thinking').textContent = text; },
  });
  document.body.classList.toggle('file', !source.isLive);
  if (boot.position) source.keep([], boot.position);
  setUpSteps();
  setUpPanels();
  if (source.isLive) setUpPlay();
  byId('run-card').hidden = !boot.run;
  document.body.classList.toggle('run', boot.run);
  if (boot.run && source.isLive) watchRun();
  await go(0);
}

begin();
