import { AllotError } from '@allot/model';
import type { ErrorAction, FieldError } from '@allot/model';
import { visible } from '@allot/planner';
import type { ChangeOptions } from './options/change-options.js';
import type { Paint } from './view/palette.js';

const WHAT_TO_DO: Readonly<Record<ErrorAction, string>> = {
  'fix-request': 'Change what was asked, then try again.',
  retry: 'Try again later.',
  refresh: 'Read the present state and decide again.',
  rejoin: 'The member must join again.',
  stop: 'Do not try again.',
};

/** At most so many faults are listed; the rest is counted. */
const MOST_FAULTS = 20;

/**
 * An error as lines for stderr: what is wrong with its code, the option or field that it is about, what to do. `changes` turns
 * pointers into the list of changes into the options that a person wrote.
 */
export function describeProblem(error: unknown, paint: Paint, debug: boolean, changes?: ChangeOptions): string {
  const lines = error instanceof AllotError ? problemLines(error, paint, changes) : unexpectedLines(error, paint);
  if (debug && error instanceof Error) lines.push(paint('dim', error.stack ?? String(error)));
  return `${lines.join('\n')}\n`;
}

function problemLines(error: AllotError, paint: Paint, changes: ChangeOptions | undefined): string[] {
  const { errors } = error;
  const message = errors.length > 0 ? errors[0]!.detail : error.message;
  const lines = [`${paint('red', 'error:')} ${visible(message)} ${paint('dim', `[${error.code}]`)}`];
  if (errors.length === 1) lines.push(`  at: ${place(errors[0]!, changes)}`);
  else {
    for (const fault of errors.slice(0, MOST_FAULTS))
      lines.push(`  at: ${place(fault, changes)}: ${visible(fault.detail)}`);
    if (errors.length > MOST_FAULTS) lines.push(`  and ${errors.length - MOST_FAULTS} faults more`);
  }
  const { requestId, changes: between } = error.facts;
  if (Array.isArray(between)) lines.push(...changesBetween(between as readonly Change[], error.facts));
  if (typeof requestId === 'string') lines.push(`  request: ${visible(requestId)}`);
  const wait = error.retryAfterMs === undefined ? '' : ` Wait ${Math.ceil(error.retryAfterMs / 1_000)} s first.`;
  lines.push(`  what to do: ${WHAT_TO_DO[error.action] ?? error.action}${wait}`);
  return lines;
}

/** One revision that came between a plan and its application. */
interface Change {
  readonly revision: number;
  readonly at: string;
  readonly cause: string;
  readonly actor?: string;
}

/** What happened to the group since the plan was made. */
function changesBetween(changes: readonly Change[], { moreChanges }: Readonly<Record<string, unknown>>): string[] {
  const shown = changes.slice(0, MOST_FAULTS).map(({ revision, at, cause, actor }) => {
    return visible(`  since: revision ${revision} at ${at}, ${cause}${actor === undefined ? '' : ` by ${actor}`}`);
  });
  const rest = changes.length - shown.length + (typeof moreChanges === 'number' ? moreChanges : 0);
  return rest > 0 ? [...shown, `  and ${rest} more`] : shown;
}

function unexpectedLines(error: unknown, paint: Paint): string[] {
  const message = error instanceof Error ? error.message : String(error);
  return [
    `${paint('red', 'error:')} ${visible(message)} ${paint('dim', '[INTERNAL_ERROR]')}`,
    '  what to do: This is a fault of allot. Run it again with --debug and report what it prints.',
  ];
}

/** `/changes/2/removeMembers/0` is `--remove-member c9`. */
function place({ pointer }: FieldError, changes: ChangeOptions | undefined): string {
  const index = /^\/(?:changes|steps)\/(\d+)/.exec(pointer)?.[1];
  const source = index === undefined ? undefined : changes?.sources[Number(index) - changes.offset];
  return visible(source ?? (pointer === '' ? 'the request' : pointer));
}
