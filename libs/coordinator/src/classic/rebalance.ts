import type { ChangeCause } from '../history.js';
import { subscribedTopicsOf } from '../consumer/subscriptions.js';
import { firstInOrder, type ClassicDraft } from './classic-draft.js';
import type { ClassicGroup, ClassicMember, PhaseTimer } from './classic-group.js';
import { removableFrom } from './deadlines.js';
import { electProtocol } from './protocol-vote.js';

/** group.initial.rebalance.delay.ms, for groups that name no time of their own. */
export const DEFAULT_INITIAL_DELAY_MS = 3_000;

/** How long a join phase waits: as long as the member that needs the longest. */
export function rebalanceTimeoutOf({ members }: ClassicGroup): number {
  let longest = 0;
  for (const { rebalanceTimeoutMs } of members.values()) longest = Math.max(longest, rebalanceTimeoutMs);
  return longest;
}

/** Whether nobody is waited for any more: members all joined again, and nobody was given an id and has not come back with it. */
function haveAllJoined({ members, pending }: ClassicGroup): boolean {
  if (pending.length > 0) return false;
  for (const { state } of members.values()) if (state !== 'JOINING') return false;
  return true;
}

/**
 * Begins a rebalance (GroupMetadataManager.prepareRebalance), or does nothing while one waits for members to join. A group that was
 * empty waits a while for more first members (KIP-134); any other waits for the members that it has, and no longer than it must.
 */
export function prepareRebalance(draft: ClassicDraft, cause: ChangeCause): void {
  const { phase, settings } = draft.group;
  if (phase === 'PREPARING_REBALANCE' || phase === 'DEAD') return;
  draft.because(cause);
  const { now } = draft.context;
  const timeout = rebalanceTimeoutOf(draft.group);
  if (phase === 'EMPTY') {
    const delay = settings.initialDelayMs ?? DEFAULT_INITIAL_DELAY_MS;
    const timer: PhaseTimer = {
      kind: 'initial-delay',
      since: now,
      at: now + delay,
      remainingMs: Math.max(timeout - delay, 0),
    };
    draft.set({ phase: 'PREPARING_REBALANCE', timer });
    if (delay === 0) completeJoinPhase(draft);
    return;
  }
  draft.set({ phase: 'PREPARING_REBALANCE', timer: { kind: 'rebalance', since: now, at: now + timeout } });
  completeJoinPhaseIfAllJoined(draft);
}

/** Begins a rebalance, or, when one waits for members, looks whether it waits for nobody any more. */
export function rebalanceOrComplete(draft: ClassicDraft, cause: ChangeCause): void {
  draft.because(cause);
  if (draft.group.phase === 'PREPARING_REBALANCE') completeJoinPhaseIfAllJoined(draft);
  else prepareRebalance(draft, cause);
}

/** An initial delay is waited for even when everybody is there: its purpose is those who are not. */
export function completeJoinPhaseIfAllJoined(draft: ClassicDraft): void {
  const { phase, timer } = draft.group;
  if (phase !== 'PREPARING_REBALANCE' || timer?.kind !== 'rebalance') return;
  if (haveAllJoined(draft.group)) completeJoinPhase(draft);
}

/** The phase's timer rings. */
export function ring(draft: ClassicDraft): void {
  const { timer } = draft.group;
  if (timer === undefined || timer.at > draft.context.now) return;
  if (timer.kind === 'initial-delay') extendOrComplete(draft, timer);
  else if (timer.kind === 'rebalance') endJoinPhase(draft);
  else endSyncPhase(draft);
}

/** Waits as long again if a member came meanwhile, until the rebalance timeout is used up (tryCompleteInitialRebalanceElseSchedule). */
function extendOrComplete(draft: ClassicDraft, { since, at, remainingMs = 0, memberAdded }: PhaseTimer): void {
  if (memberAdded === undefined || remainingMs === 0) {
    completeJoinPhase(draft);
    return;
  }
  const { now } = draft.context;
  const delay = Math.min(draft.group.settings.initialDelayMs ?? DEFAULT_INITIAL_DELAY_MS, remainingMs);
  const timer: PhaseTimer = {
    kind: 'initial-delay',
    since: now,
    at: now + delay,
    remainingMs: Math.max(remainingMs - (at - since), 0),
  };
  draft.because('initial-delay-extended');
  draft.set({ timer });
}

/** Time is up: who has not joined again is dropped, as soon as it may be. */
function endJoinPhase(draft: ClassicDraft): void {
  draft.because('rebalance-timeout');
  const rest = dropAwaited(draft);
  if (rest === undefined) completeJoinPhase(draft);
  else draft.set({ timer: { ...draft.group.timer!, at: rest } });
}

/** Members of the generation that never asked for their assignment are removed, even from a group that is stable (expirePendingSync). */
function endSyncPhase(draft: ClassicDraft): void {
  draft.because('sync-timeout');
  const before = draft.group.members.size;
  const rest = dropAwaited(draft);
  draft.set({ timer: rest === undefined ? undefined : { ...draft.group.timer!, at: rest } });
  if (draft.group.members.size < before) prepareRebalance(draft, 'sync-timeout');
}

/** Removes those whom the ringing timer waits for and may remove; when the next of them may be removed, undefined when none is left. */
function dropAwaited(draft: ClassicDraft): number | undefined {
  const { group } = draft;
  let rest: number | undefined;
  for (const member of group.members.values()) {
    const from = removableFrom(group, member);
    if (from <= draft.context.now) draft.removeMember(member.memberId);
    else if (from < Infinity) rest = Math.min(rest ?? Infinity, from);
  }
  return rest;
}

/**
 * The members that have joined become the next generation (completeClassicGroupJoin). A leader that has not joined again loses its
 * lead to the first in order that has; when nobody has, the group waits on, in the old generation.
 */
function completeJoinPhase(draft: ClassicDraft): void {
  const { now, catalog } = draft.context;
  const generation = draft.group.groupEpoch + 1;
  if (draft.group.members.size === 0) {
    const nothing = { protocol: undefined, leader: undefined, timer: undefined, assignorFault: undefined };
    draft.set({
      phase: 'EMPTY',
      groupEpoch: generation,
      assignmentEpoch: generation,
      subscribedTopics: new Map(),
      ...nothing,
    });
    return;
  }
  const leader = electLeader(draft.group);
  const timeout = rebalanceTimeoutOf(draft.group);
  if (leader === undefined) {
    draft.set({ timer: { kind: 'rebalance', since: now, at: now + timeout } });
    return;
  }
  for (const member of draft.group.members.values()) {
    if (member.state !== 'JOINING') continue;
    draft.setMember(intoGeneration(member, generation));
    draft.renew(member.memberId);
  }
  draft.because('generation-started');
  draft.set({
    phase: 'COMPLETING_REBALANCE',
    groupEpoch: generation,
    leader: leader.memberId,
    protocol: electProtocol(draft.group.members.values(), leader),
    timer: { kind: 'sync', since: now, at: now + timeout },
    catalogRevision: catalog.revision,
    subscribedTopics: subscribedTopicsOf(draft.group.members.values(), catalog, draft.group.subscribedTopics),
    assignorFault: undefined,
  });
}

function electLeader({ members, leader }: ClassicGroup): ClassicMember | undefined {
  const present = leader === undefined ? undefined : members.get(leader);
  if (present?.state === 'JOINING') return present;
  return firstInOrder(members.values(), ({ state }) => state === 'JOINING');
}

function intoGeneration({ isNew, rebalanceDeadline, ...member }: ClassicMember, generation: number): ClassicMember {
  return { ...member, state: 'JOINED', memberEpoch: generation };
}
