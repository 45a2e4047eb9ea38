import { AllotError } from '@allot/model';
import type { ClassicMember, MemberProtocol } from './classic-group.js';

/** Names that every one of the members supports. */
export function commonProtocols(members: Iterable<ClassicMember>): ReadonlySet<string> | undefined {
  let common: Set<string> | undefined;
  for (const { protocols } of members) {
    const names = protocols.map(({ name }) => name);
    common = new Set(common === undefined ? names : names.filter((name) => common!.has(name)));
  }
  return common;
}

/**
 * The assignor of a generation (ClassicGroup.selectProtocol): of those that all members support, each member votes for the one it
 * prefers, and most votes win. Kafka leaves a tie to the order of a hash map; here the leader's preference decides, since it is
 * the leader who has to run it.
 */
export function electProtocol(members: Iterable<ClassicMember>, leader: ClassicMember): string {
  const all = [...members];
  const candidates = commonProtocols(all)!;
  const votes = new Map<string, number>();
  for (const { protocols } of all) {
    const vote = protocols.find(({ name }) => candidates.has(name))!.name;
    votes.set(vote, (votes.get(vote) ?? 0) + 1);
  }
  const most = Math.max(...votes.values());
  return leader.protocols.find(({ name }) => votes.get(name) === most)!.name;
}

/** @throws AllotError INCONSISTENT_GROUP_PROTOCOL when a member would leave the group without an assignor that all support. */
export function checkProtocols(others: Iterable<ClassicMember>, protocols: readonly MemberProtocol[]): void {
  const common = commonProtocols(others);
  if (common === undefined || protocols.some(({ name }) => common.has(name))) return;
  throw new AllotError(
    'INCONSISTENT_GROUP_PROTOCOL',
    `The member supports ${protocols.map(({ name }) => name).join(', ')}, and the group's other members have in common ` +
      `${[...common].join(', ')}. Support one of those.`,
    { action: 'fix-request', errors: [{ pointer: '/protocols', detail: `needs one of ${[...common].join(', ')}` }] },
  );
}
