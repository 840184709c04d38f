// The picture of a position, and what happens when its squares are pointed at.

function makeBoard(holder, onSquare) {
  let squares = new Map();

  function show(text, touchable) {
    const focused = document.activeElement?.dataset?.hit;
    const picture = parsedSvg(text);
    picture.removeAttribute('width');
    picture.removeAttribute('height');
    picture.setAttribute('role', 'group');
    squares = new Map();
    for (const board of picture.querySelectorAll('g[data-board]')) {
      for (const square of [...board.querySelectorAll('rect[data-square]')]) {
        const id = `${board.dataset.board}/${square.dataset.square}`;
        const hit = svgEl('rect', { class: 'hit', 'data-hit': id });
        for (const name of ['x', 'y', 'width', 'height']) hit.setAttribute(name, square.getAttribute(name));
        const label = touchable.get(id);
        if (label) {
          hit.classList.add('open');
          hit.setAttribute('tabindex', '0');
          hit.setAttribute('role', 'button');
          hit.setAttribute('aria-label', label);
          hit.addEventListener('click', () => onSquare(id));
          hit.addEventListener('keydown', (event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            onSquare(id);
          });
        }
        board.append(hit);
        squares.set(id, hit);
      }
    }
    const [, , width, height] = picture.getAttribute('viewBox').split(' ').map(Number);
    // Where a picture is much wider than the page it scrolls: squares stay large enough to hit.
    picture.style.minWidth = `${Math.round(0.62 * width)}px`;
    document.body.classList.toggle('broad', squares.size > 0 && width > 1.8 * height);
    document.body.classList.toggle('boardless', squares.size === 0);
    holder.replaceChildren(picture);
    if (focused) squares.get(focused)?.focus();
  }

  // Marks squares in one way, such as `picked`, and takes the mark from all others.
  function mark(kind, ids) {
    const wanted = new Set(ids);
    for (const [id, hit] of squares) hit.classList.toggle(kind, wanted.has(id));
  }

  return { show, mark };
}
