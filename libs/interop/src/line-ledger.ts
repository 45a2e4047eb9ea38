import type { ImportWarning, LineKind, LineReport, LineStatus } from './import-result.js';

const UNACCOUNTED = 'Not part of any output that Allot reads (see the list of formats).';

/** Collects the account of every line and the warnings. A line that nobody claims is reported as not understood. */
export class LineLedger {
  readonly warnings: ImportWarning[] = [];
  readonly #reports: (LineReport | undefined)[];

  constructor(readonly lines: readonly string[]) {
    this.#reports = new Array<LineReport | undefined>(lines.length).fill(undefined);
  }

  /** `index` is from 0, the report's line number from 1. A later call for the same line replaces the earlier one. */
  report(index: number, kind: LineKind, status: LineStatus, detail: string): void {
    this.#reports[index] = { lineNumber: index + 1, kind, status, detail };
  }

  understood(index: number, kind: LineKind, detail: string): void {
    this.report(index, kind, 'understood', detail);
  }

  ignored(index: number, kind: LineKind, detail: string): void {
    this.report(index, kind, 'ignored', detail);
  }

  notUnderstood(index: number, kind: LineKind, detail: string): void {
    this.report(index, kind, 'not-understood', detail);
  }

  /** Marks the lines after the first of a record that a terminal broke into several. */
  continuation(firstIndex: number, count: number, status: LineStatus): void {
    for (let index = firstIndex + 1; index < firstIndex + count; index++) {
      this.report(index, 'continuation', status, `Continues line ${firstIndex + 1}.`);
    }
  }

  warn(warning: ImportWarning): void {
    this.warnings.push(warning);
  }

  finish(): LineReport[] {
    return this.lines.map(
      (_, index) =>
        this.#reports[index] ?? {
          lineNumber: index + 1,
          kind: 'unknown',
          status: 'not-understood',
          detail: UNACCOUNTED,
        },
    );
  }
}
