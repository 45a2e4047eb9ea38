import type { Assignment } from '@allot/model';
import type { ImportedCoordinator, ImportedGroupState } from './import-result.js';

/** One row of the offsets view about a partition. */
export interface OffsetRow {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch: number | undefined;
  readonly currentOffset: number | undefined;
  readonly logEndOffset: number | undefined;
  readonly lag: number | undefined;
  readonly memberId: string | undefined;
  readonly index: number;
}

/** One row of the members view. */
export interface MemberRow {
  readonly memberId: string;
  readonly clientId: string | undefined;
  readonly host: string | undefined;
  readonly instanceId: string | undefined;
  readonly currentEpoch: number | undefined;
  readonly targetEpoch: number | undefined;
  readonly upgraded: boolean | undefined;
  readonly declaredPartitionCount: number | undefined;
  readonly assignment: Assignment | undefined;
  readonly targetAssignment: Assignment | undefined;
  readonly topicNamesMissing: boolean;
  readonly index: number;
}

/** A member as the offsets view shows it. */
export interface OwnerRow {
  readonly memberId: string;
  readonly clientId: string | undefined;
  readonly host: string | undefined;
  readonly index: number;
}

/** One row of the state view, or a message of the tool about a group's state. */
export interface StateFact {
  readonly state: ImportedGroupState;
  readonly kafkaState: string | undefined;
  readonly coordinator?: ImportedCoordinator | undefined;
  readonly assignor?: string | undefined;
  readonly groupEpoch?: number | undefined;
  readonly assignmentEpoch?: number | undefined;
  readonly memberCount?: number | undefined;
  readonly index: number;
}

/** A partition's rows: the first one, and every further owner that the text names. */
export interface PartitionDraft {
  readonly row: OffsetRow;
  readonly otherOwners: OffsetRow[];
}

/** Everything that the text says about one group, before it is put together. */
export interface GroupDraft {
  readonly groupId: string | undefined;
  readonly partitions: Map<string, Map<number, PartitionDraft>>;
  readonly members: Map<string, MemberRow>;
  readonly owners: Map<string, OwnerRow>;
  readonly states: StateFact[];
  hasOffsetsView: boolean;
  hasMembersView: boolean;
  /** The offsets view has a row for a member without partitions, which most versions leave out. */
  showsIdleMembers: boolean;
  /** Line index of the first table or message about the group. */
  readonly index: number;
}

export function newGroupDraft(groupId: string | undefined, index: number): GroupDraft {
  return {
    groupId,
    partitions: new Map(),
    members: new Map(),
    owners: new Map(),
    states: [],
    hasOffsetsView: false,
    hasMembersView: false,
    showsIdleMembers: false,
    index,
  };
}

/** How messages name a group. */
export function groupName(groupId: string | undefined): string {
  return groupId === undefined ? 'The unnamed group' : `Group ${groupId}`;
}
