// Where positions and values come from: the server, or the file that the page is.

class Refused extends Error {}

function serverSource() {
  const positions = new Map();

  async function ask(path, body) {
    const request = body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    let reply;
    try {
      reply = await fetch(path, request);
    } catch {
      throw new Refused('the server does not answer; is neurogame view still running?');
    }
    const found = await reply.json();
    if (!reply.ok) throw new Refused(found.error ?? `the server answered ${reply.status}`);
    return found;
  }

  // What is still being made is asked for again, unless nobody waits for it any more.
  async function waited(path, body, isWanted, onWait) {
    for (;;) {
      const found = await ask(path, body);
      if (!found.pending) return found;
      if (!isWanted()) return null;
      onWait(found.pending);
      await new Promise((done) => setTimeout(done, 600));
      if (!isWanted()) return null;
    }
  }

  function position(line) {
    const key = JSON.stringify(line);
    if (!positions.has(key)) {
      if (positions.size > 500) positions.delete(positions.keys().next().value);
      const found = ask('/api/position', { line });
      found.catch(() => positions.delete(key));
      positions.set(key, found);
    }
    return positions.get(key);
  }

  return {
    isLive: true,
    hasWhy: true,
    keep: (line, found) => positions.set(JSON.stringify(line), Promise.resolve(found)),
    position,
    choices: (line) => ask('/api/choices', { line }),
    values: (line, judge, isWanted, onWait) => waited('/api/values', { line, judge }, isWanted, onWait),
    curve: (line, judge, isWanted) => waited('/api/curve', { line, judge }, isWanted, () => {}),
    explain: (question, isWanted, onWait) => waited('/api/explain', question, isWanted, onWait),
    think: (order) => ask('/api/think', order),
    cancel: () => ask('/api/cancel', {}),
    job: () => ask('/api/job'),
    run: () => ask('/api/run'),
    story: (onWait) => waited('/api/story', undefined, () => true, onWait),
  };
}

// All positions of one match, packed; made by --export.
async function fileSource(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const kept = JSON.parse(await new Response(plain).text());
  return {
    isLive: false,
    hasWhy: kept.explained.some(Boolean),
    keep: () => {},
    position: async (line) => kept.positions[line.length],
    choices: async () => ({ choices: kept.choices }),
    values: async (line) => kept.values[line.length],
    curve: async () => ({ values: kept.curve }),
    explain: async (question) => kept.explained[question.line.length],
  };
}
