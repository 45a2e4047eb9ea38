/** A kind of problem: its HTTP status and a title that never varies (RFC 9457, section 3.1.4). */
export interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** What happened and what to do about it, for docs/problems.md. */
  readonly meaning: string;
}

/** How the lists write one. */
export const type = (status: number, title: string, meaning: string): ProblemType => ({ status, title, meaning });
