import { BrokerHistory } from './broker-history.js';
import { checkVector } from './check-vector.js';
import type { Comparison } from './suites.js';
import { readVectorLines } from './vector-file.js';
import { MalformedVector } from './vector-shapes.js';

/** How many differences and how many problems of a file are kept in full. */
const SHOWN = 3;

/** A vector whose answers differ, with the number of its line. */
export interface Difference extends Comparison {
  readonly line: number;
}

export interface FileReport {
  /** Lines that hold anything at all. */
  readonly total: number;
  readonly matched: number;
  /** The first differences. */
  readonly differences: readonly Difference[];
  /** The first reasons why a line, or the rest of the file, could not be run; each names its line where it has one. */
  readonly problems: readonly string[];
  readonly problemCount: number;
}

/** Whether every line of a file was run and answered as Kafka did. An empty file proves nothing. */
export function holds(report: FileReport): boolean {
  return report.total > 0 && report.matched === report.total && report.problemCount === 0;
}

/**
 * Runs every vector of a file. Never throws: what cannot be read is a problem of the report. Lines whose answer depends on an
 * order that only a later line tells, as in a shuffled file, are asked again at the end.
 */
export async function checkFile(path: string): Promise<FileReport> {
  let total = 0;
  let matched = 0;
  let problemCount = 0;
  let differences: Difference[] = [];
  const problems: string[] = [];
  const history = new BrokerHistory();
  const guessed: { line: number; text: string }[] = [];
  const complain = (problem: string) => {
    problemCount++;
    if (problems.length < SHOWN) problems.push(problem);
  };
  try {
    for await (const { number: line, text } of readVectorLines(path)) {
      if (text.trim() === '') continue;
      total++;
      try {
        const comparison = checkVector(text, history);
        if (comparison.guessed === true) guessed.push({ line, text });
        else if (comparison.expected === comparison.got) matched++;
        else if (differences.length < SHOWN) differences.push({ line, ...comparison });
      } catch (error) {
        if (!(error instanceof MalformedVector)) throw error;
        complain(`line ${line}: ${error.message}`);
      }
    }
    const late = resolveGuesses(guessed, history);
    matched += guessed.length - late.length;
    differences = [...differences, ...late].sort((a, b) => a.line - b.line).slice(0, SHOWN);
    if (total === 0) complain('holds no vectors');
  } catch (error) {
    complain(`cannot be read: ${(error as Error).message}`);
  }
  return { total, matched, differences, problems, problemCount };
}

/** Asks lines again, as long as that settles the order of what members own in more of them; answers what still differs. */
function resolveGuesses(lines: readonly { line: number; text: string }[], history: BrokerHistory): Difference[] {
  let open = lines;
  const differences: Difference[] = [];
  for (;;) {
    const asked = open.map(({ line, text }) => ({ line, text, ...checkVector(text, history) }));
    const settled = asked.filter(({ guessed }) => guessed !== true);
    const unsettled = asked.filter(({ guessed }) => guessed === true);
    const final = settled.length === 0 ? unsettled : settled;
    for (const { text: _, ...comparison } of final)
      if (comparison.expected !== comparison.got) differences.push(comparison);
    if (settled.length === 0) return differences;
    open = unsettled;
  }
}
