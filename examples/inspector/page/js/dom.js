// Making elements. Words reach the page through text nodes alone, so whatever a memory says is shown, never read.

const SVG = 'http://www.w3.org/2000/svg';

/** An element: `h('button', {class: 'small', on: {click}}, 'Undo')`. Children are nodes or text. */
export function h(tag, options = {}, ...children) {
  return filled(document.createElement(tag), options, children);
}

/** The same for a drawing. */
export function s(tag, options = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), options, children);
}

function filled(element, options, children) {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'on') {
      for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    } else if (name === 'value') {
      element.value = value;
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Somebody's words: one run of text whose direction is its own and stays in it. */
export function words(text, name = 'words') {
  return h('bdi', { class: name, dir: 'auto' }, String(text ?? ''));
}

/** A button that says so while it works, and tells what went wrong. */
export function button(label, run, options = {}) {
  const element = h('button', { type: 'button', ...options, on: {
    async click() {
      element.disabled = true;
      try {
        await run();
      } finally {
        element.disabled = false;
      }
    },
  } }, label);
  return element;
}

/** Whether a form in it is open. What somebody is writing is not drawn over: it is drawn anew once they are done. */
export function isBeingWritten(element) {
  const isOpen = (form) => !form.hidden && !form.closest('details:not([open])');
  return [...element.querySelectorAll('form')].some(isOpen);
}

/** Puts these in the place of everything that was there. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}
