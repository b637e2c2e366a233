// A fact's life, drawn: a bar for each version, from when it was true until when.

import { h, s, words } from './dom.js';
import { at, onDay, who } from './words.js';

const WIDTH = 320;
const LINE = 22;

export function timeline({ timeline: life }) {
  const from = Date.parse(life.from);
  const until = Math.max(Date.parse(life.until), from + 1);
  const x = (stamp) => (Date.parse(stamp) - from) / (until - from) * WIDTH;
  const drawn = life.versions.map((version, index) => {
    const begin = x(version.valid_from);
    const end = version.valid_until ? x(version.valid_until) : (version.ended ? x(version.ended_at) : WIDTH);
    const y = index * LINE;
    return s('g', {},
      s('rect', { class: version.ended ? 'bar past' : 'bar', x: begin, y: y + 3,
        width: Math.max(3, end - begin), height: LINE - 8, rx: 3 }),
      s('title', {}, `version ${version.version}`));
  });
  const height = Math.max(LINE, life.versions.length * LINE);
  return h('section', { class: 'timeline' },
    h('h3', {}, 'Timeline'),
    s('svg', { viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: 'img',
      'aria-label': `${life.versions.length} versions from ${onDay(life.from)} to ${onDay(life.until)}` }, ...drawn),
    h('p', { class: 'axis' }, h('span', {}, onDay(life.from)), h('span', {}, onDay(life.until))),
    h('ol', { class: 'versions' }, ...life.versions.map((version) => h('li', {},
      words(version.content),
      h('span', { class: 'meta' }, ` v${version.version} · ${span(version)}`)))),
    h('ul', { class: 'events' }, ...life.events.map((event) => h('li', {},
      `${at(event.at)}: ${event.what} by ${who(event.who)} (v${event.version})`))));
}

function span(version) {
  const from = `from ${onDay(version.valid_from)}`;
  const until = version.valid_until ? ` until ${onDay(version.valid_until)}` : '';
  return `${from}${until}${version.ended ? `, then ${version.ended}` : ''}`;
}
