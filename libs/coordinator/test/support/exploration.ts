import { createHash } from 'node:crypto';
import { assignmentToJson, sameAssignment } from '@allot/model';
import { consumerGroupState, withoutEpochs } from '../../src/index.js';
import { isServed } from '../../src/consumer/consumer-group.js';
import { indexHolders } from '../../src/consumer/owned-partitions.js';
import { checkStep } from './exploration-invariants.js';
import { actionsOf, isExpected, send, startOf, withoutHold, type Scope, type World } from './exploration-world.js';

export type { Scope } from './exploration-world.js';

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  /** The first broken invariant and the actions that lead to it: no shorter path breaks one. */
  readonly failure?: { readonly message: string; readonly path: readonly string[] };
  /** Nothing was left out, or there is a failure. */
  readonly complete: boolean;
}

interface Visited {
  readonly parent: Visited | undefined;
  readonly action: string;
}

/** Visits every state that a small group can reach, breadth first, checks every step to it and that it settles from there. */
export function explore(scope: Scope, onDepth: (depth: number, states: number) => void = () => {}): Exploration {
  const { maxDepth = Infinity } = scope;
  const start = startOf(scope);
  const seen = new Set([digestOf(keyOf(start))]);
  let frontier: { world: World; visited: Visited }[] = [
    { world: start, visited: { parent: undefined, action: 'start' } },
  ];
  const settling = new Set<string>();
  let transitions = 0;
  const fail = (error: unknown, visited: Visited): Exploration => {
    const failure = { message: error instanceof Error ? error.message : String(error), path: pathTo(visited) };
    return { states: seen.size, transitions, failure, complete: true };
  };
  for (let depth = 1; frontier.length > 0 && depth <= maxDepth; depth++) {
    const nextFrontier: typeof frontier = [];
    for (const { world, visited } of frontier) {
      for (const { name, run } of actionsOf(world, scope)) {
        transitions++;
        const reached = { parent: visited, action: name };
        try {
          const next = run();
          checkStep(world, next);
          const digest = digestOf(keyOf(next));
          if (seen.has(digest)) continue;
          seen.add(digest);
          checkSettles(next, scope, settling);
          nextFrontier.push({ world: next, visited: reached });
        } catch (error) {
          return fail(error, reached);
        }
        if (seen.size >= scope.maxStates) return { states: seen.size, transitions, complete: false };
      }
    }
    frontier = nextFrontier;
    onDepth(depth, seen.size);
  }
  return { states: seen.size, transitions, complete: true };
}

/** Millions of states are to be remembered; that two of them share a digest of 128 bits is as good as impossible. */
function digestOf(key: string): string {
  return createHash('md5').update(key).digest('base64');
}

function pathTo(visited: Visited): string[] {
  const path: string[] = [];
  for (let at: Visited | undefined = visited; at?.parent !== undefined; at = at.parent) path.unshift(at.action);
  return path;
}

/**
 * From everywhere, quiet heartbeats of the workers lead to STABLE, every worker at its place and every partition given out. `settling`
 * has the states from where that is known.
 */
function checkSettles(from: World, scope: Scope, settling: Set<string>): void {
  let at = withoutHold(from, scope);
  const walked: string[] = [];
  for (let key = keyOf(at); key !== walked.at(-1); key = keyOf(at)) {
    if (settling.has(digestOf(key))) break;
    if (walked.length > LONGEST_SETTLING) throw new Error('no end of rounds of quiet heartbeats');
    walked.push(key);
    for (const [position, worker] of at.workers.entries()) {
      if (worker.joined || isExpected(at, worker)) at = send(at, scope, position);
    }
  }
  if (!settling.has(digestOf(keyOf(at)))) checkSettled(at);
  for (const key of walked) settling.add(digestOf(key));
}

/** Rounds; each part of a target that the move budget divides takes a few. */
const LONGEST_SETTLING = 20;

function checkSettled({ group, workers }: World): void {
  if (group === undefined || group.members.size === 0) return;
  if (consumerGroupState(group) !== 'STABLE') throw new Error(`stuck in ${consumerGroupState(group)}`);
  for (const { memberId, memberEpoch, assigned } of group.members.values()) {
    const worker = workers.find((each) => each.memberId === memberId && each.joined);
    if (worker === undefined) throw new Error(`${memberId} cannot get back in`);
    const [at, held] = [worker.epoch === memberEpoch, sameAssignment(worker.held, withoutEpochs(assigned))];
    if (!at || !held) throw new Error(`${memberId} never learns of its assignment`);
  }
  if (group.calm?.deferred !== undefined) throw new Error('moves are left for ever');
  const holderOf = indexHolders(group);
  const served = [...group.members.values()].filter(isServed);
  for (const [topic, { partitions }] of group.subscribedTopics) {
    if (!served.some(({ subscription }) => subscription.topics.includes(topic))) continue;
    for (let p = 0; p < partitions; p++) {
      if (holderOf(topic, p) === undefined) throw new Error(`${topic}-${p} is never given out`);
    }
  }
}

/**
 * The state without what only counts up: revisions, and epochs relative to the group's. Nor does it say since when partitions are
 * held: no step asks for that, and each step is checked for what it makes of it.
 */
function keyOf({ group, catalog, broken, workers, lastHolders, late, perturbations }: World): string {
  const base = group?.groupEpoch ?? 0;
  const relative = (epoch: number) => (epoch <= 0 ? `at ${epoch}` : epoch - base);
  const isOutdated = (memberId: string, revision = 0) =>
    revision < (group?.members.get(memberId)?.grantedRevision ?? 0);
  const members = [...(group?.members.values() ?? [])].map((member) => [
    member.memberId,
    relative(member.memberEpoch),
    relative(member.previousMemberEpoch),
    member.state,
    member.subscription.topics,
    member.draining,
    assignmentToJson(member.target),
    assignmentToJson(withoutEpochs(member.assigned)),
    assignmentToJson(withoutEpochs(member.pendingRevocation)),
  ]);
  return JSON.stringify([
    group === undefined
      ? null
      : [group.assignmentEpoch - base, group.catalogRevision, group.assignorFault, members, group.calm],
    catalog,
    broken,
    perturbations,
    [...lastHolders].map(([key, { holder, epoch }]) => [key, holder, epoch - base]),
    workers.map(({ memberId, joined, epoch, held, revision, letGo }) => {
      return [memberId, joined, relative(epoch), assignmentToJson(held), isOutdated(memberId, revision), letGo];
    }),
    late && [
      late.command.memberId,
      relative(late.command.memberEpoch),
      assignmentToJson(late.command.owned!),
      isOutdated(late.command.memberId, late.command.revision),
    ],
  ]);
}
