// A list of any length: only what is in sight is in the page. Rows are as high as the style says, headings too.

import { h } from './dom.js';

const AROUND = 6;

export class VirtualList {
  /** `render(item)` makes a row; an item with `isHeading` cannot be chosen. */
  constructor({ label, render, open, remove }) {
    this.items = [];
    this.active = -1;
    this.chosen = undefined;
    this.gap = 0;
    this.nodes = new Map();
    this.tops = [0];
    this.render = render;
    this.open = open;
    this.remove = remove;
    this.space = h('div', { class: 'space', role: 'list', 'aria-label': label });
    this.element = h('div', { class: 'list', tabindex: -1, on: {
      scroll: () => this.soon(),
      keydown: (event) => this.key(event),
      click: (event) => this.click(event),
      focusin: (event) => this.focused(event),
    } }, this.space);
    this.watch = new ResizeObserver(() => this.draw(true));
    this.watch.observe(this.element);
  }

  /** Shows these from now on; the place is kept. The chosen one is known by its number: another may be in its row. */
  set(items) {
    if (this.active >= 0) this.gap = this.active;
    this.items = items;
    this.active = this.chosen === undefined ? -1 : items.findIndex((item) => item.body?.number === this.chosen);
    this.draw(true);
  }

  /** Draws once before the next frame, however often it is asked for. */
  soon(all = false) {
    this.all = this.all || all;
    if (this.waits) return;
    this.waits = requestAnimationFrame(() => {
      this.waits = 0;
      const all = this.all;
      this.all = false;
      this.draw(all);
    });
  }

  draw(all = false) {
    if (all) this.measure();
    const size = this.items.length;
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, this.at(scrollTop) - AROUND);
    const last = Math.min(size, this.at(scrollTop + clientHeight) + 1 + AROUND);
    const held = all && this.element.contains(document.activeElement);
    for (const [index, node] of this.nodes) {
      if (all || index < first || index >= last) {
        node.remove();
        this.nodes.delete(index);
      }
    }
    for (let index = first; index < last; index += 1) {
      if (!this.nodes.has(index)) this.nodes.set(index, this.put(index));
    }
    // Where the chosen one is gone the list itself has the focus: the arrows go on from there, and no other is chosen.
    if (held) (this.nodes.get(this.active) ?? this.element).focus({ preventScroll: true });
    if (this.active < 0 || !this.nodes.has(this.active)) this.enter(first);
  }

  /** Where each begins. */
  measure() {
    const style = getComputedStyle(this.element);
    const [row, heading] = ['--row', '--heading'].map((name) => Number.parseFloat(style.getPropertyValue(name)));
    const tops = new Float64Array(this.items.length + 1);
    this.items.forEach((item, index) => { tops[index + 1] = tops[index] + (item.isHeading ? heading : row); });
    this.tops = tops;
    this.space.style.height = `${tops[this.items.length]}px`;
  }

  /** What is at that height. */
  at(height) {
    let [low, high] = [0, this.items.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= height) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  put(index) {
    const item = this.items[index];
    const node = h('div', {
      class: item.isHeading ? 'row heading' : 'row',
      role: 'listitem',
      'aria-setsize': this.items.length,
      'aria-posinset': index + 1,
      tabindex: item.isHeading ? undefined : (index === this.active ? 0 : -1),
    }, this.render(item));
    node.dataset.index = index;
    node.style.transform = `translateY(${this.tops[index]}px)`;
    const after = this.nodes.get(index + 1);
    if (after) after.before(node);
    else this.space.append(node);
    return node;
  }

  /** The row that Tab leads to. */
  enter(first) {
    for (const [index, node] of this.nodes) {
      if (index >= first && !this.items[index].isHeading) {
        node.tabIndex = 0;
        return;
      }
    }
  }

  indexOf(event) {
    const node = event.target.closest?.('.row');
    return node ? Number(node.dataset.index) : -1;
  }

  focused(event) {
    const index = this.indexOf(event);
    if (index < 0 || this.items[index]?.isHeading) return;
    for (const node of this.nodes.values()) if (node.tabIndex === 0) node.tabIndex = -1;
    this.choose(index);
    const node = this.nodes.get(index);
    if (node) node.tabIndex = 0;
  }

  choose(index) {
    this.active = index;
    this.chosen = this.items[index].body?.number;
  }

  click(event) {
    const item = this.items[this.indexOf(event)];
    if (item && !item.isHeading && !event.target.closest('button')) this.open?.(item);
  }

  key(event) {
    const page = Math.max(1, this.nodes.size - 2 * AROUND - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    // What has the focus, not what was chosen last: that may be out of sight.
    const item = this.items[this.indexOf(event)];
    const isMemory = item && !item.isHeading;
    if (event.key in steps) this.move(steps[event.key]);
    else if (event.key === 'Enter' && isMemory && event.target.closest('button') === null) this.open?.(item);
    // A key that is held down forgets one memory, not one after the other.
    else if (event.key === 'Delete' && isMemory && !event.repeat && this.remove) this.remove(item);
    else return;
    event.preventDefault();
  }

  move(step) {
    const size = this.items.length;
    const from = this.active >= 0 ? this.active : this.gap - (step > 0 ? 1 : 0);
    let index = Math.min(size - 1, Math.max(0, from + step));
    const onward = step < 0 && index > 0 ? -1 : 1;
    while (this.items[index]?.isHeading) index += onward;
    if (!this.items[index]) return;
    this.choose(index);
    this.reveal(index);
    this.nodes.get(index)?.focus({ preventScroll: true });
  }

  /** Scrolls as far as it takes to see it. */
  reveal(index) {
    const { scrollTop, clientHeight } = this.element;
    const [top, bottom] = [this.tops[index], this.tops[index + 1]];
    if (top < scrollTop) this.element.scrollTop = this.tops[Math.max(0, index - 1)];
    if (bottom > scrollTop + clientHeight) this.element.scrollTop = bottom - clientHeight;
    this.draw();
  }

  end() {
    this.watch.disconnect();
    cancelAnimationFrame(this.waits);
  }
}
