import { AllotError } from '@allot/model';
import type { GroupSettings } from '../group-settings.js';
import type { ConsumerGroup } from './consumer-group.js';
import { groupNotFound, newConsumerGroup, refuseImported } from './membership.js';
import { GroupDraft, type StepContext, type Transition } from './step.js';

/** Creates a group, or changes its settings. Another assignor needs a new target at once, unlike in Kafka (docs/adr). */
export function putSettings(
  group: ConsumerGroup | undefined,
  settings: GroupSettings,
  context: StepContext,
): Transition {
  if (group === undefined) {
    const draft = new GroupDraft(
      undefined,
      newConsumerGroup(settings, context.catalog.revision, context.lastRevision),
      context,
    );
    draft.because('group-created');
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
  if (sameSettings(group.settings, settings)) return { group };
  const draft = new GroupDraft(group, group, context);
  const assignorChanged =
    group.settings.assignors[0] !== settings.assignors[0] || group.settings.kafkaVersion !== settings.kafkaVersion;
  draft.setSettings(settings);
  draft.because(assignorChanged ? 'assignor-changed' : 'group-settings-changed');
  if (assignorChanged && group.members.size > 0) draft.bump();
  return draft.settle();
}

/** Looks at the newest catalog: a grown, new or deleted topic that the group reads gives it a new target. */
export function lookAtCatalog(group: ConsumerGroup, context: StepContext): Transition {
  return new GroupDraft(group, group, context).settle();
}

/** @throws AllotError GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP: a group with members cannot be deleted; an imported one can. */
export function checkDeletable(group: ConsumerGroup | undefined): ConsumerGroup {
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

function sameSettings(a: GroupSettings, b: GroupSettings): boolean {
  return (
    a.kafkaVersion === b.kafkaVersion &&
    a.sessionTimeoutMs === b.sessionTimeoutMs &&
    a.heartbeatIntervalMs === b.heartbeatIntervalMs &&
    a.rebalanceTimeoutMs === b.rebalanceTimeoutMs &&
    a.maxSize === b.maxSize &&
    a.assignmentIntervalMs === b.assignmentIntervalMs &&
    a.assignors.length === b.assignors.length &&
    a.assignors.every((name, position) => name === b.assignors[position])
  );
}
