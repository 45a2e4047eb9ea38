import type { Assignment } from '@allot/model';
import { isTopicName, readInt32 } from './cell-values.js';
import { quote } from './paste.js';

export type AssignmentCell =
  | { readonly type: 'assignment'; readonly assignment: Assignment }
  /** Kafka 3.8 and 3.9 print the partition numbers of a member without their topics. */
  | { readonly type: 'topic-names-missing'; readonly partitionCount: number }
  | { readonly type: 'problem'; readonly reason: string };

/**
 * Column ASSIGNMENT: `orders(0,1), pay(3)` up to Kafka 3.7, `(0,1), (3)` in 3.8 and 3.9. The blank after the comma is
 * optional, because people edit what they paste.
 */
export function readAssignmentCell(cell: string | undefined): AssignmentCell {
  if (cell === undefined) return { type: 'assignment', assignment: new Map() };
  const lists = new Map<string, number[]>();
  let unnamed = 0;
  let at = 0;
  while (at < cell.length) {
    const open = cell.indexOf('(', at);
    const close = open < 0 ? -1 : cell.indexOf(')', open);
    if (close < 0) return problem(`ASSIGNMENT ${quote(cell.slice(at))} is cut: a closing bracket is missing.`);
    const name = cell.slice(at, open).trim();
    const added =
      name === '' ? addNumbers([], cell.slice(open + 1, close)) : addTopic(lists, name, cell.slice(open + 1, close));
    if (typeof added === 'string') return problem(`ASSIGNMENT: ${added}`);
    if (name === '') unnamed += added;
    const separator = /^\s*(?:,\s*|$)/.exec(cell.slice(close + 1, close + 40));
    if (separator === null) return problem(`ASSIGNMENT: a comma is missing before ${quote(cell.slice(close + 1))}.`);
    at = close + 1 + separator[0].length;
  }
  if (unnamed > 0 && lists.size > 0) return problem('ASSIGNMENT names some topics and leaves out others.');
  return unnamed > 0 ? { type: 'topic-names-missing', partitionCount: unnamed } : finished(lists);
}

/** Columns CURRENT-ASSIGNMENT and TARGET-ASSIGNMENT of Kafka 4.0 and later: `orders:0,1;pay:3`. */
export function readTopicListCell(column: string, cell: string | undefined): AssignmentCell {
  if (cell === undefined) return { type: 'assignment', assignment: new Map() };
  const lists = new Map<string, number[]>();
  for (const piece of cell.split(';')) {
    const colon = piece.indexOf(':');
    if (colon < 0) return problem(`${column} ${quote(piece)} is not of the form topic:0,1.`);
    const added = addTopic(lists, piece.slice(0, colon).trim(), piece.slice(colon + 1));
    if (typeof added === 'string') return problem(`${column}: ${added}`);
  }
  return finished(lists);
}

function problem(reason: string): AssignmentCell {
  return { type: 'problem', reason };
}

function addTopic(lists: Map<string, number[]>, topic: string, text: string): number | string {
  if (!isTopicName(topic)) return `${quote(topic)} is not a topic name.`;
  if (lists.has(topic)) return `topic ${topic} is listed twice.`;
  const numbers: number[] = [];
  const added = addNumbers(numbers, text);
  lists.set(topic, numbers);
  return typeof added === 'string' ? `topic ${topic}: ${added}` : added;
}

function addNumbers(numbers: number[], text: string): number | string {
  for (const piece of text.split(',')) {
    const number = readInt32(piece.trim());
    if (number === undefined) return `${quote(piece)} is not a partition number.`;
    numbers.push(number);
  }
  return new Set(numbers).size < numbers.length ? 'a partition is listed twice.' : numbers.length;
}

function finished(lists: Map<string, number[]>): AssignmentCell {
  for (const numbers of lists.values()) numbers.sort((a, b) => a - b);
  return { type: 'assignment', assignment: lists };
}
