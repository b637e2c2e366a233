// What things are called on the page.

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const onDay = (stamp) => day.format(new Date(stamp));
export const at = (stamp) => moment.format(new Date(stamp));

const SOURCES = {
  user: 'you',
  agent: 'assistant',
  extracted: 'read from a chat',
  derived: 'concluded',
  imported: 'imported',
};

const TRUST = {
  user: 'your word',
  agent: "the assistant's word",
  extracted: 'read from what you said',
  derived: 'concluded from other memories',
};

const WHO = {
  user: 'you',
  agent: 'the assistant',
  extractor: 'closing a chat',
  consolidator: 'consolidation',
  sweep: 'upkeep',
  host: 'the host',
};

export const source = (row) => SOURCES[row.body.claim.source] ?? row.body.claim.source;
export const trust = (row) => TRUST[row.body.claim.trust] ?? row.body.claim.trust;
export const who = (name) => WHO[name] ?? name;

/** How sure the memory is: nothing in numbers for what was said outright. */
export function sure(row) {
  const confidence = row.marks?.confidence;
  if (confidence !== undefined) return `${Math.round(confidence * 100)} % sure`;
  return row.body.claim.trust === 'user' ? 'stated' : 'saved';
}

/** `superseded` with its day, for a row that has ended. */
export function ended(row) {
  return row.end ? `${row.end.why.reason} ${onDay(row.end.at)}` : null;
}

/** A stored name as words: `finance_context` is `Finance context`. */
export function title(name) {
  const plain = String(name).replaceAll('_', ' ');
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** How many of them, with the right word. */
export const count = (number, one, many) => `${number.toLocaleString()} ${number === 1 ? one : many}`;
