import {
  isClassic,
  type ClassicGroup,
  type GroupChange,
  type GroupStep,
  type GroupStore,
} from '../../libs/coordinator/src/index.js';
import { describeClassicChange } from '../../libs/coordinator/src/classic/classic-change.js';
import type { ClassicMember } from '../../libs/coordinator/src/classic/classic-group.js';
import { addOwned, NO_PARTITIONS } from '../../libs/coordinator/src/consumer/owned-partitions.js';
import { override, type Faults, type Mutant } from './faults.js';
import type { ClassicRequest } from './replica.js';

/** Every join is another. */
function joinsAs(
  change: (
    command: ClassicRequest & { kind: 'classic-join' },
  ) => Partial<(ClassicRequest & { kind: 'classic-join' })['command']>,
): Faults {
  return {
    classicRequest: (request) => {
      if (request.kind !== 'classic-join') return request;
      const command: Record<string, unknown> = { ...request.command, ...change(request) };
      for (const name of Object.keys(command)) if (command[name] === undefined) delete command[name];
      return { ...request, command: command as never };
    },
  };
}

/** Every step that changes a classic group makes another of it. */
function groupsAs(spoil: (before: ClassicGroup | undefined, after: ClassicGroup) => ClassicGroup): Faults {
  const store = (right: GroupStore) =>
    override(right, {
      transact: (ref, step, options) =>
        right.transact(
          ref,
          (view) => {
            const done = step(view);
            const before = view.group !== undefined && isClassic(view.group) ? view.group : undefined;
            const { group, change } = done as GroupStep<unknown> & { group?: ClassicGroup; change?: GroupChange };
            if (group === undefined || !isClassic(group) || change === undefined) return done;
            const spoilt = spoil(before, group);
            const { cause, origin, at: now } = change;
            return { ...done, group: spoilt, change: describeClassicChange(before, spoilt, { cause, origin, now }) };
          },
          options,
        ),
    });
  return { store };
}

function withMembers(group: ClassicGroup, spoil: (member: ClassicMember) => ClassicMember): ClassicGroup {
  return { ...group, members: new Map([...group.members].map(([id, member]) => [id, spoil(member)])) };
}

export const CLASSIC_MUTANTS: readonly Mutant[] = (
  [
    {
      name: 'classic: believes a join that arrives late',
      faults: groupsAs((_before, after) => withMembers(after, ({ grantedRevision: _gone, ...member }) => member)),
      found: /R8/,
    },
    {
      name: 'classic: takes a first request that is sent again for another process',
      faults: joinsAs(() => ({ newMemberId: undefined })),
      found: /R8/,
    },
    {
      name: 'classic: serves the old id of a static member that was replaced',
      faults: {
        classicRequest: (request, group) => {
          const heirOf = (id: string) =>
            [...(group?.members.values() ?? [])].find(({ formerIds }) => formerIds?.includes(id))?.memberId ?? id;
          if (request.kind === 'leave') return { ...request, memberId: heirOf(request.memberId) };
          const { memberId } = request.command;
          if (memberId === undefined) return request;
          return { ...request, command: { ...request.command, memberId: heirOf(memberId) } } as ClassicRequest;
        },
      },
      found: /R8/,
    },
    {
      name: 'classic: an eager member keeps what it had',
      faults: joinsAs(() => ({ cooperative: true, owned: undefined })),
      found: /does not settle/,
    },
    {
      name: 'classic: takes an absent list for an empty one',
      faults: joinsAs(({ command }) =>
        command.memberId !== undefined && command.owned?.size === 0 ? {} : { owned: new Map() },
      ),
      found: /R8/,
    },
    {
      name: 'classic: grants at once what another has not given up',
      faults: groupsAs((before, after) => {
        if (after.phase !== 'STABLE' || before?.phase === 'STABLE') return after;
        return withMembers(after, (member) => {
          const { rebalanceDeadline: _none, ...rest } = member;
          const assigned = addOwned(NO_PARTITIONS, member.target, after.groupEpoch);
          return { ...rest, assigned, pendingRevocation: NO_PARTITIONS };
        });
      }),
      found: /R8/,
    },
    {
      name: 'classic: does not look at the generation of a sync',
      faults: {
        classicRequest: (request, group) =>
          request.kind === 'classic-sync' && group !== undefined
            ? { ...request, command: { ...request.command, generation: group.groupEpoch } }
            : request,
      },
      found: /asked for generation/,
    },
    {
      name: 'classic: drops members when the timer rings, whatever they were promised',
      faults: {
        ...groupsAs((_before, after) => {
          const { timer } = after;
          return timer === undefined || timer.kind === 'initial-delay'
            ? after
            : { ...after, timer: { ...timer, since: 0 } };
        }),
      },
      found: /R8/,
    },
  ] satisfies Omit<Mutant, 'protocol'>[]
).map((mutant) => ({ ...mutant, protocol: 'classic' as const }));
