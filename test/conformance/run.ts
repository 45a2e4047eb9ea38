import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { checkFile, holds } from './conformance.js';
import type { FileReport } from './conformance.js';

/** The recorded answers that come with the project. */
const VECTORS = join(import.meta.dirname, 'vectors');

/** Prints what a file's vectors gave. */
function print(file: string, report: FileReport): void {
  const name = basename(file);
  console.log(`${name}: ${report.matched} of ${report.total}`);
  for (const { line, id, expected, got, guessed } of report.differences) {
    const note = guessed === true ? ', order of owned topics not known from this file' : '';
    console.log(`  ${name} line ${line}${id === undefined ? '' : `, ${id}`}${note}`);
    console.log(`    expected ${expected}`);
    console.log(`    got      ${got}`);
  }
  for (const problem of report.problems) console.log(`  ${file} ${problem}`);
  const unseen = report.problemCount - report.problems.length;
  if (unseen > 0) console.log(`  and ${unseen} more lines that could not be run`);
}

/** Runs the files, prints a report of each and a last line that says what held; answers the exit code. */
async function run(files: readonly string[], directory: string): Promise<number> {
  let total = 0;
  let matched = 0;
  const failed: string[] = [];
  for (const file of files) {
    const report = await checkFile(resolve(directory, file));
    print(file, report);
    total += report.total;
    matched += report.matched;
    if (!holds(report)) failed.push(file);
  }
  const counted = `${matched} of ${total} vectors in ${files.length} file${files.length === 1 ? '' : 's'} match`;
  console.log(
    failed.length === 0
      ? `Conformance holds: ${counted}.`
      : `Conformance does NOT hold: ${counted}; see ${failed.join(', ')}.`,
  );
  return failed.length === 0 ? 0 : 1;
}

// npm runs scripts in the project's root; INIT_CWD is where its user stands.
const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : readdirSync(VECTORS)
        .sort()
        .map((name) => join(VECTORS, name));
process.exitCode = await run(files, process.env['INIT_CWD'] ?? process.cwd());
