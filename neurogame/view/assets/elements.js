// Elements are made one by one, with texts as texts: no name of a game is ever read as HTML.

const byId = (id) => document.getElementById(id);

function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'class') made.className = value;
    else if (name.includes('-') || name === 'role') made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

function svgEl(tag, attributes = {}, text = '') {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

// Pictures are parsed as XML, in which a script element of HTML means nothing.
function parsedSvg(text) {
  const found = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  return document.importNode(found, true);
}

const boot = JSON.parse(byId('boot').textContent);
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#56b4e9'];

const colourOf = (role) => boot.colours[role];

const colourAt = (place) => COLOURS[place % COLOURS.length];

const number = (value, digits = 3) => (value === null || value === undefined ? '–' : value.toFixed(digits));

const count = (value) => value.toLocaleString('en');

function seconds(value) {
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  return value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;
}

// A joint move for people: moves of roles that have no choice are left out where others have one.
function jointText(joint, choices) {
  const own = joint.filter((_, role) => !choices || choices[role] > 1);
  return (own.length ? own : joint).join('  ');
}

const names = (list) => new Intl.ListFormat('en').format(list);

function options(select, rows, chosen) {
  select.replaceChildren(...rows.map(([value, text]) => el('option', { value, textContent: text })));
  if (rows.some(([value]) => value === chosen)) select.value = chosen;
}
