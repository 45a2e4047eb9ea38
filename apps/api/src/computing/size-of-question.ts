/** A group is looked for this deep in a question: `body` and `input` of the wrapped ones. */
const WRAPPERS = ['body', 'input'] as const;

/**
 * About how much a question is, in partitions and members, from JSON that nobody has checked yet: it decides only where the question is answered.
 * What is not shaped like a group counts as nothing; the planner will say so.
 */
export function sizeOfQuestion(question: unknown): number {
  if (!isObject(question)) return 0;
  const own = lengthOf(question['members']) + partitionsOf(question['topics']) + 10 * lengthOf(question['steps']);
  return WRAPPERS.reduce((sum, name) => sum + (name in question ? sizeOfQuestion(question[name]) : 0), own);
}

function partitionsOf(topics: unknown): number {
  if (!Array.isArray(topics)) return 0;
  let sum = 0;
  for (const topic of topics as unknown[]) {
    const partitions = isObject(topic) ? topic['partitions'] : undefined;
    sum += 1 + (typeof partitions === 'number' && partitions > 0 ? partitions : 0);
  }
  return sum;
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
