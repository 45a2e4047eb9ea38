import { AllotError } from '@allot/model';

const VERSION = /^(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4})(?:\.\d{1,4})?)?(?:-[A-Za-z0-9]+)?$/;

const MINORS = 10_000;
const PATCHES = 10_000;

/** Versions in which Kafka has a rule; `last` means the whole of "major.minor", and without it Kafka still has the rule. */
export interface KafkaVersions {
  readonly first: string;
  readonly last?: string;
}

/**
 * Whether an asked-for Kafka version is `version` or later. A missing third number is 0, so "4.0" is 4.0.0, and 4.0.1 is
 * later: Kafka has changed an assignor in a patch release. No version asked for means the newest rule, so the answer is true.
 */
export function isKafkaAtLeast(asked: string | undefined, version: string): boolean {
  const number = asked === undefined ? Infinity : numberOf(asked);
  return number !== undefined && number >= numberOf(version)!;
}

/**
 * Refuses a Kafka version that does not have the assignor, or had another rule under its name.
 *
 * @throws AllotError UNSUPPORTED_KAFKA_VERSION naming the versions that are known
 */
export function requireKafka(asked: string | undefined, assignor: string, { first, last }: KafkaVersions): void {
  if (asked === undefined) return;
  const number = numberOf(asked);
  if (
    number !== undefined &&
    number >= numberOf(first)! &&
    number <= (last === undefined ? Infinity : numberOf(last)! + PATCHES - 1)
  )
    return;
  const known = last === undefined ? `${first} and later` : `${first} to ${last}`;
  const problem =
    number === undefined
      ? `"${asked}" is not a Kafka version`
      : `The assignor "${assignor}" has no rule for Kafka ${asked}`;
  throw new AllotError('UNSUPPORTED_KAFKA_VERSION', `${problem}. Known: ${known}.`, {
    action: 'fix-request',
    facts: { asked, known },
  });
}

/** A number that orders versions; undefined when the text is no version. */
function numberOf(version: string): number | undefined {
  const match = VERSION.exec(version);
  return match === null ? undefined : (Number(match[1]) * MINORS + Number(match[2])) * PATCHES + Number(match[3] ?? 0);
}
