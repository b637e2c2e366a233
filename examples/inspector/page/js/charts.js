// Small charts, drawn by hand: bars, a gauge, a ring. Each says in words what it shows.

import { h, s } from './dom.js';

const WIDTH = 320;
const LINE = 26;
const LABEL = 130;

/** A bar for each of `[label, value]`, longest first. */
export function bars(title, values) {
  const rows = [...values].sort((one, other) => other[1] - one[1]);
  const most = Math.max(1, ...rows.map(([, value]) => value));
  const told = rows.map(([label, value]) => `${label} ${value}`).join(', ');
  const drawn = rows.map(([label, value], index) => {
    const y = index * LINE;
    const width = Math.max(2, (WIDTH - LABEL - 44) * value / most);
    return s('g', {},
      s('text', { x: LABEL - 8, y: y + 17, 'text-anchor': 'end' }, cut(label, 18)),
      s('rect', { class: 'bar', x: LABEL, y: y + 5, width, height: 16, rx: 3 }),
      s('text', { class: 'value', x: LABEL + width + 6, y: y + 17 }, value.toLocaleString()));
  });
  return chart(title, told || 'nothing yet', WIDTH, Math.max(LINE, rows.length * LINE), drawn);
}

/** How full something is. */
export function gauge(title, value, of, unit) {
  const share = of > 0 ? Math.min(1, value / of) : 0;
  const told = `${value.toLocaleString()} of ${of.toLocaleString()} ${unit}`;
  return chart(title, told, WIDTH, 40, [
    s('rect', { class: 'ground', x: 0, y: 4, width: WIDTH, height: 14, rx: 7 }),
    s('rect', { class: share > 0.9 ? 'bar full' : 'bar', x: 0, y: 4, width: WIDTH * share, height: 14, rx: 7 }),
    s('text', { class: 'value', x: 0, y: 36 }, told),
  ]);
}

/** A share of a whole, or a dash where there is nothing to take one of. */
export function ring(title, share) {
  const has = share !== null && share !== undefined;
  const told = has ? `${Math.round(share * 100)} %` : '–';
  const round = 2 * Math.PI * 30;
  return chart(title, told, 80, 80, [
    s('circle', { class: 'ground line', cx: 40, cy: 40, r: 30 }),
    s('circle', {
      class: 'line', cx: 40, cy: 40, r: 30, transform: 'rotate(-90 40 40)',
      'stroke-dasharray': `${has ? round * share : 0} ${round}`,
    }),
    s('text', { x: 40, y: 45, 'text-anchor': 'middle' }, told),
  ], 'ring');
}

function chart(title, told, width, height, drawn, name = '') {
  const drawing = s('svg', {
    viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': `${title}: ${told}`,
  }, ...drawn);
  return h('figure', { class: `chart ${name}` }, h('figcaption', {}, title), drawing);
}

function cut(text, longest) {
  const letters = [...String(text)];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : String(text);
}
