import type { GroupSettings } from './group-settings.js';

/**
 * What a group of either type starts from, as the first join or an operator makes it. `lastRevision` is where the revisions of an
 * earlier group of this id ended: they go on with a gap, so that nobody who knows an old one can take a new one for it or for the next.
 */
export function emptyGroup(settings: GroupSettings, catalogRevision: number, lastRevision: number) {
  return {
    settings,
    source: 'live' as const,
    revision: lastRevision === 0 ? 0 : lastRevision + 1,
    groupEpoch: 0,
    assignmentEpoch: 0,
    catalogRevision,
    subscribedTopics: new Map<never, never>(),
    members: new Map<never, never>(),
    nextJoinOrder: 1,
  };
}
