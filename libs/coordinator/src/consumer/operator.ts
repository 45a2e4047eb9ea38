import { AllotError } from '@allot/model';
import { sameSetting, type GroupSettings } from '../group-settings.js';
import type { Group } from '../group.js';
import type { ChangeCause } from '../history.js';
import { thawed } from './auto-freeze.js';
import { remember } from './calm.js';
import type { ConsumerGroup } from './consumer-group.js';
import { groupNotFound, newConsumerGroup, refuseImported } from './membership.js';
import { GroupDraft, type StepContext, type Transition } from './step.js';

/**
 * Creates a group, or changes its settings; `frozen` freezes it, or lets it have a target again, which it then gets at once if it
 * needs one. What an assignment depends on (the assignor, its options, pins) needs a new target at once, unlike in Kafka (docs/adr).
 */
export function putSettings(
  group: ConsumerGroup | undefined,
  settings: GroupSettings,
  context: StepContext,
  frozen?: boolean,
): Transition {
  if (group === undefined) {
    const created = newConsumerGroup(settings, context.catalog.revision, context.lastRevision);
    const draft = new GroupDraft(undefined, created, context);
    draft.because('group-created');
    if (frozen) freeze(draft, context);
    return draft.settle();
  }
  refuseImported(group);
  if (group.settings.type !== settings.type) {
    throw new AllotError(
      'INCONSISTENT_GROUP_PROTOCOL',
      `The group is of type ${group.settings.type}; its type cannot change. Delete it and create it again.`,
      { action: 'fix-request' },
    );
  }
  const draft = new GroupDraft(group, group, context);
  const isFrozen = group.calm?.freeze !== undefined;
  if (frozen === true && group.calm?.freeze?.by !== 'operator') freeze(draft, context);
  if (frozen === false && isFrozen) {
    draft.because('unfrozen');
    draft.setCalm(thawed(group.calm));
    draft.endPause();
  }
  if (!sameSetting(group.settings, settings)) change(draft, settings, context);
  // Nothing else is asked for, so nothing else is done.
  if (draft.group === group) return { group };
  return draft.settle();
}

function change(draft: GroupDraft, settings: GroupSettings, context: StepContext): void {
  const before = draft.group.settings;
  const differ = (name: keyof GroupSettings) => !sameSetting(before[name], settings[name]);
  const cause = TARGET_CAUSES.find(([, names]) => names.some(differ))?.[0];
  const assignorsDiffer = before.assignors[0] !== settings.assignors[0];
  draft.setSettings(settings);
  const { sessionTimeoutMs } = before;
  if (settings.sessionTimeoutMs < sessionTimeoutMs) {
    const { promisedUntil = 0 } = draft.group.calm ?? {};
    draft.setCalm(
      remember(draft.group.calm, { promisedUntil: Math.max(promisedUntil, context.now + sessionTimeoutMs) }),
    );
  }
  if (cause === undefined && !assignorsDiffer) {
    draft.because('group-settings-changed');
    if (PAUSE_SETTINGS.some(differ)) draft.endPause();
    return;
  }
  draft.because(assignorsDiffer ? 'assignor-changed' : cause!);
  draft.endPause();
  if (draft.group.members.size > 0) draft.bump();
}

/** What a target depends on, and the cause of a new one. Of the assignors only the first counts. */
const TARGET_CAUSES: readonly (readonly [ChangeCause, readonly (keyof GroupSettings)[]])[] = [
  ['assignor-changed', ['kafkaVersion']],
  ['pins-changed', ['pins']],
  ['assignor-options-changed', ['weightedSticky', 'partitionOrder']],
];

/** What a target was postponed by. */
const PAUSE_SETTINGS: readonly (keyof GroupSettings)[] = [
  'maintenanceWindows',
  'initialDelayMs',
  'assignmentIntervalMs',
  'assignmentIntervalFromMembers',
];

function freeze(draft: GroupDraft, { now, origin: { reason } }: StepContext): void {
  draft.because('frozen');
  const state = { by: 'operator', since: now, ...(reason !== undefined && { reason }) } as const;
  draft.setCalm(remember(draft.group.calm, { freeze: state }));
}

/** Looks at the newest catalog: a grown, new or deleted topic that the group reads gives it a new target. */
export function lookAtCatalog(group: ConsumerGroup, context: StepContext): Transition {
  return new GroupDraft(group, group, context).settle();
}

/** @throws AllotError GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP: a group with members cannot be deleted; an imported one can. */
export function checkDeletable(group: Group | undefined): Group {
  if (group === undefined) throw groupNotFound();
  if (group.source === 'live' && group.members.size > 0) {
    throw new AllotError(
      'NON_EMPTY_GROUP',
      `The group has ${group.members.size} members. Let them leave first; their sessions end by themselves when they are gone.`,
      { action: 'refresh', facts: { members: group.members.size } },
    );
  }
  return group;
}
