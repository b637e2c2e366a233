// A list of any length: only what is in sight is in the page. All rows are as high as the style says.

import { h } from './dom.js';

const AROUND = 6;

export class VirtualList {
  /** `render(item)` makes a row; an item with `isHeading` cannot be chosen. */
  constructor({ label, render, open, remove }) {
    this.items = [];
    this.active = -1;
    this.nodes = new Map();
    this.render = render;
    this.open = open;
    this.remove = remove;
    this.space = h('div', { class: 'space', role: 'list', 'aria-label': label });
    this.element = h('div', { class: 'list', on: {
      scroll: () => this.soon(),
      keydown: (event) => this.key(event),
      click: (event) => this.click(event),
      focusin: (event) => this.focused(event),
    } }, this.space);
    this.watch = new ResizeObserver(() => this.draw(true));
    this.watch.observe(this.element);
  }

  /** Shows these from now on; the place is kept. */
  set(items) {
    this.items = items;
    if (this.active >= items.length) this.active = items.length - 1;
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
    const height = this.rowHeight();
    if (!height) return;
    const size = this.items.length;
    this.space.style.height = `${size * height}px`;
    const top = this.element.scrollTop;
    const first = Math.max(0, Math.floor(top / height) - AROUND);
    const last = Math.min(size, Math.ceil((top + this.element.clientHeight) / height) + AROUND);
    const held = all && this.space.contains(document.activeElement);
    for (const [index, node] of this.nodes) {
      if (all || index < first || index >= last) {
        node.remove();
        this.nodes.delete(index);
      }
    }
    for (let index = first; index < last; index += 1) {
      if (!this.nodes.has(index)) this.nodes.set(index, this.put(index, height));
    }
    if (held) this.nodes.get(this.active)?.focus({ preventScroll: true });
    if (this.active < 0 || !this.nodes.has(this.active)) this.enter(first);
  }

  put(index, height) {
    const item = this.items[index];
    const node = h('div', {
      class: item.isHeading ? 'row heading' : 'row',
      role: 'listitem',
      'aria-setsize': this.items.length,
      'aria-posinset': index + 1,
      tabindex: item.isHeading ? undefined : (index === this.active ? 0 : -1),
    }, this.render(item));
    node.dataset.index = index;
    node.style.transform = `translateY(${index * height}px)`;
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

  rowHeight() {
    return Number.parseFloat(getComputedStyle(this.element).getPropertyValue('--row')) || 64;
  }

  indexOf(event) {
    const node = event.target.closest?.('.row');
    return node ? Number(node.dataset.index) : -1;
  }

  focused(event) {
    const index = this.indexOf(event);
    if (index < 0 || this.items[index]?.isHeading) return;
    for (const node of this.nodes.values()) if (node.tabIndex === 0) node.tabIndex = -1;
    this.active = index;
    const node = this.nodes.get(index);
    if (node) node.tabIndex = 0;
  }

  click(event) {
    const item = this.items[this.indexOf(event)];
    if (item && !item.isHeading && !event.target.closest('button')) this.open?.(item);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight()) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const item = this.items[this.active];
    if (event.key in steps) this.move(steps[event.key]);
    else if (event.key === 'Enter' && item && event.target.closest('button') === null) this.open?.(item);
    else if (event.key === 'Delete' && item && this.remove) this.remove(item);
    else return;
    event.preventDefault();
  }

  move(step) {
    const size = this.items.length;
    let index = Math.min(size - 1, Math.max(0, this.active + step));
    const onward = step < 0 && index > 0 ? -1 : 1;
    while (this.items[index]?.isHeading) index += onward;
    if (!this.items[index]) return;
    this.active = index;
    const height = this.rowHeight();
    const { scrollTop, clientHeight } = this.element;
    if (index * height < scrollTop) this.element.scrollTop = Math.max(0, (index - 1) * height);
    if ((index + 1) * height > scrollTop + clientHeight) this.element.scrollTop = (index + 1) * height - clientHeight;
    this.draw();
    this.nodes.get(index)?.focus({ preventScroll: true });
  }

  end() {
    this.watch.disconnect();
    cancelAnimationFrame(this.waits);
  }
}
