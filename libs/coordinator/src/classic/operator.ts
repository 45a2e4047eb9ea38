import { AllotError, invalidRequest } from '@allot/model';
import type { StepContext } from '../consumer/step.js';
import { sameSetting, type GroupSettings } from '../group-settings.js';
import { ClassicDraft, type ClassicTransition } from './classic-draft.js';
import type { ClassicGroup } from './classic-group.js';
import { newClassicGroup } from './membership.js';

/** Settings that say how the service moves members of a group of type consumer; a classic group has no use for them. */
const CONSUMER_SETTINGS = [
  'pins',
  'weightedSticky',
  'partitionOrder',
  'moveBudget',
  'maintenanceWindows',
  'autoFreeze',
  'planApproval',
] as const satisfies readonly (keyof GroupSettings)[];

/** Creates a classic group, or changes its settings; what members said of themselves stays theirs. */
export function putClassicSettings(
  group: ClassicGroup | undefined,
  settings: GroupSettings,
  context: StepContext,
  frozen?: boolean,
): ClassicTransition {
  if (frozen === true) {
    throw invalidRequest('A classic group cannot be frozen: its members decide when they join.', [
      { pointer: '/frozen', detail: 'has no meaning in a classic group' },
    ]);
  }
  const foreign = CONSUMER_SETTINGS.filter((name) => settings[name] !== undefined);
  if (foreign.length > 0) {
    throw invalidRequest(
      `A classic group has no ${foreign.join(', ')}: its members agree on an assignor and move when they join. Leave it out, or use type consumer.`,
      foreign.map((name) => ({ pointer: `/${name}`, detail: 'has no meaning in a classic group' })),
    );
  }
  if (group !== undefined && settings.type !== 'classic') throw typeIsFixed();
  if (group !== undefined && sameSetting(group.settings, settings)) return { group, renewed: [] };
  const base = group ?? newClassicGroup(settings, context.catalog.revision, context.lastRevision);
  const draft = new ClassicDraft(group, base, context);
  draft.because(group === undefined ? 'group-created' : 'group-settings-changed');
  draft.set({ settings });
  return draft.finish();
}

function typeIsFixed(): AllotError {
  return new AllotError(
    'INCONSISTENT_GROUP_PROTOCOL',
    'The group is of type classic; its type cannot change. Delete it and create it again.',
    { action: 'fix-request' },
  );
}

/** Looks at the newest catalog: a grown, new or deleted topic that the group reads begins a rebalance. */
export function lookAtCatalog(group: ClassicGroup, context: StepContext): ClassicTransition {
  const draft = new ClassicDraft(group, group, context);
  draft.lookAtCatalog();
  return draft.finish();
}
