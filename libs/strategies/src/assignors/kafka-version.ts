import { AllotError } from '@allot/model';

const VERSION = /^(\d{1,4})\.(\d{1,4})(?:\.\d{1,4}){0,2}(?:-[A-Za-z0-9]+)?$/;

/**
 * Whether an asked-for Kafka version is `major.minor` or later. Only the first two numbers count: Kafka does not change an
 * assignor in a patch release. No version asked for means the newest rule, so the answer is true.
 *
 * @param known what to tell a person who asked for something else, such as "4.0 and later"
 * @throws AllotError UNSUPPORTED_KAFKA_VERSION when the text is no version
 */
export function isKafkaAtLeast(version: string | undefined, major: number, minor: number, known: string): boolean {
  if (version === undefined) return true;
  const match = VERSION.exec(version);
  if (match === null) throw unsupported(`"${version}" is not a Kafka version. Known: ${known}.`, version, known);
  const askedMajor = Number(match[1]);
  return askedMajor > major || (askedMajor === major && Number(match[2]) >= minor);
}

/**
 * Refuses a Kafka version from before the assignor, or before the rule that is implemented here.
 *
 * @throws AllotError UNSUPPORTED_KAFKA_VERSION naming the versions that are known
 */
export function requireKafka(version: string | undefined, assignor: string, major: number, minor: number): void {
  const known = `${major}.${minor} and later`;
  if (isKafkaAtLeast(version, major, minor, known)) return;
  const message = `No rule of the assignor "${assignor}" is known for Kafka ${version}. Known: ${known}.`;
  throw unsupported(message, version!, known);
}

function unsupported(message: string, asked: string, known: string): AllotError {
  return new AllotError('UNSUPPORTED_KAFKA_VERSION', message, { action: 'fix-request', facts: { asked, known } });
}
