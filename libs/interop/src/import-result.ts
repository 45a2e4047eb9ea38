import type { Assignment } from '@allot/model';

/** What one line of a paste is. */
export type LineKind =
  | 'blank'
  | 'prompt'
  | 'log'
  | 'decoration'
  | 'message'
  | 'topic'
  | 'topic-partition'
  | 'table-header'
  | 'group-partition'
  | 'group-member'
  | 'group-state'
  | 'reassignment-json'
  | 'continuation'
  | 'unknown';

/** `ignored` lines carry nothing to import (a prompt, a log line); `not-understood` ones do or may, and were left out. */
export type LineStatus = 'understood' | 'ignored' | 'not-understood';

/** The account of one input line; an import has exactly one per line of its text, in order. */
export interface LineReport {
  /** From 1. */
  readonly lineNumber: number;
  readonly kind: LineKind;
  readonly status: LineStatus;
  /** What was read; or why the line was left out and what would help. */
  readonly detail: string;
}

export type ImportWarningCode =
  /** A count that the text declares differs from what it lists (#PARTITIONS, PartitionCount, #MEMBERS). */
  | 'declared-count-mismatch'
  /** Kafka 3.8 and 3.9 print a member's partitions without their topics. */
  | 'topic-names-missing'
  /** Partition lines of a topic whose own line was not pasted: its partition count is unknown. */
  | 'topic-line-missing'
  /** A topic's line was pasted without any, or without some, of its partition lines. */
  | 'partitions-not-listed'
  /** The same thing listed twice with the same content. */
  | 'duplicate-line'
  /** The same thing listed twice with different content; the first one is kept. */
  | 'conflicting-lines'
  /** One partition listed under two members; it is kept without an owner. */
  | 'partition-owned-twice'
  /** Offsets view and members view, or members view and state view, of one group do not agree. */
  | 'views-disagree'
  /** A group's table without a GROUP column (Kafka up to 2.2) and nothing else that names the group. */
  | 'group-id-missing'
  /** Groups known from the offsets view alone, which from Kafka 1.1 on leaves out members without partitions. */
  | 'idle-members-not-shown'
  /** The group was rebalancing: the snapshot may be between two assignments. */
  | 'group-unstable'
  /** The tool said that the group does not exist. */
  | 'group-does-not-exist'
  /** A group's partition that the topic's description in the same text does not have. */
  | 'partition-not-in-topic'
  /** Some owner's partition has no committed offset or no log end offset, so its lag is unknown (not 0). */
  | 'lag-unknown'
  /** The committed offset is past the end of the log. */
  | 'negative-lag'
  /** A partition without a leader. */
  | 'no-leader'
  /** An in-sync replica, or the leader, that is not among the replicas. */
  | 'replicas-inconsistent'
  | 'marked-for-deletion'
  | 'reassignment-in-progress'
  /** The tool itself reported an error. */
  | 'tool-error'
  /** A table column that no known version prints. */
  | 'unknown-column'
  /** Line breaks that a terminal put inside a line were taken out again. */
  | 'wrapped-lines'
  /** JSON that cannot be read, or that Kafka would refuse; the detail has line and column. */
  | 'invalid-json'
  /** The end of the text is missing or a line is cut. */
  | 'not-understood-lines';

export interface ImportWarning {
  readonly code: ImportWarningCode;
  readonly message: string;
  /** The lines concerned, from 1; empty if none in particular. */
  readonly lineNumbers: readonly number[];
  readonly topic?: string;
  readonly partition?: number;
  readonly groupId?: string;
  readonly memberId?: string;
}

export interface ImportedPartition {
  readonly partition: number;
  /** `undefined`: the partition has no leader (`none`, `-1`). */
  readonly leader: number | undefined;
  /** In Kafka's order: the first one is the preferred leader. */
  readonly replicas: readonly number[];
  readonly isr: readonly number[];
  readonly addingReplicas: readonly number[];
  readonly removingReplicas: readonly number[];
  /** `undefined`: not printed, or `N/A`. */
  readonly elr: readonly number[] | undefined;
  readonly lastKnownElr: readonly number[] | undefined;
  readonly lineNumber: number;
}

export interface ImportedTopic {
  readonly name: string;
  readonly topicId: string | undefined;
  /**
   * What the topic's own line declares, or the number of listed partitions if that is higher and they are 0..n-1 without
   * a gap. `undefined`: the text does not say (see the warnings); it is never guessed from an incomplete list.
   */
  readonly partitionCount: number | undefined;
  readonly declaredPartitionCount: number | undefined;
  readonly replicationFactor: number | undefined;
  readonly configs: ReadonlyMap<string, string>;
  readonly markedForDeletion: boolean;
  /** Those listed, by number, each once. */
  readonly partitions: readonly ImportedPartition[];
  /** Of the topic's own line. */
  readonly lineNumber: number | undefined;
}

/** `unknown`: nothing in the text says; a table alone does not, because the tool prints the state on stderr. */
export type ImportedGroupState = 'stable' | 'empty' | 'rebalancing' | 'dead' | 'unknown';

export interface ImportedCoordinator {
  readonly host: string;
  readonly port: number;
  readonly brokerId: number;
}

export interface ImportedMember {
  readonly memberId: string;
  readonly clientId: string | undefined;
  /** As printed, with Java's leading slash removed. */
  readonly host: string | undefined;
  readonly instanceId: string | undefined;
  readonly currentEpoch: number | undefined;
  readonly targetEpoch: number | undefined;
  /** Whether the member has moved to the consumer protocol; printed only while a group is being migrated. */
  readonly upgraded: boolean | undefined;
  /** Column #PARTITIONS. */
  readonly declaredPartitionCount: number | undefined;
  /** What the member owns now, numbers ascending; empty: an idle member; `undefined`: the text does not say. */
  readonly assignment: Assignment | undefined;
  readonly targetAssignment: Assignment | undefined;
  readonly lineNumber: number;
}

export interface ImportedGroupPartition {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch: number | undefined;
  /** `undefined`: never committed. */
  readonly currentOffset: number | undefined;
  readonly logEndOffset: number | undefined;
  /** As printed. `undefined`: unknown, which is not 0. */
  readonly lag: number | undefined;
  /** The owner; `undefined`: nobody owns it, or more than one member does (`contestedBy`). */
  readonly memberId: string | undefined;
  /** Members that the text names as owners, if more than one. */
  readonly contestedBy: readonly string[];
  readonly lineNumber: number;
}

export interface ImportedGroup {
  /** `undefined`: a table of Kafka up to 2.2 and nothing else that names its group. */
  readonly groupId: string | undefined;
  readonly state: ImportedGroupState;
  /** Kafka's own word, if one was printed: Stable, PreparingRebalance, Reconciling, ... */
  readonly kafkaState: string | undefined;
  /** The group was rebalancing, or its views contradict each other: do not take the snapshot for an assignment. */
  readonly unstable: boolean;
  readonly coordinator: ImportedCoordinator | undefined;
  readonly assignor: string | undefined;
  readonly groupEpoch: number | undefined;
  readonly assignmentEpoch: number | undefined;
  readonly declaredMemberCount: number | undefined;
  /** In the order of the text. Without a members view those that own nothing may be missing (`idle-members-not-shown`). */
  readonly members: readonly ImportedMember[];
  /** By topic and number, each once; from the offsets view. */
  readonly partitions: readonly ImportedGroupPartition[];
}

export interface ReassignmentPartition {
  readonly topic: string;
  readonly partition: number;
  /** In order: the first one becomes the preferred leader. */
  readonly replicas: readonly number[];
  /** One per replica: `any` or an absolute path. */
  readonly logDirs?: readonly string[];
}

export interface ImportedReassignment {
  /** By the tool's heading above the JSON; `unlabelled`: there was none. */
  readonly role: 'current' | 'proposed' | 'unlabelled';
  readonly partitions: readonly ReassignmentPartition[];
  readonly firstLine: number;
  readonly lastLine: number;
}

export interface ImportedTopicsToMove {
  readonly topics: readonly string[];
  readonly firstLine: number;
  readonly lastLine: number;
}

/** The formats a paste can contain. */
export type ImportFormat =
  | 'topics-describe'
  | 'groups-offsets'
  | 'groups-members'
  | 'groups-state'
  | 'reassignment-json'
  | 'topics-to-move-json';

export interface ImportResult {
  /** Formats found, in order of first appearance. */
  readonly formats: readonly ImportFormat[];
  /** In order of first appearance. */
  readonly topics: readonly ImportedTopic[];
  readonly groups: readonly ImportedGroup[];
  readonly reassignments: readonly ImportedReassignment[];
  readonly topicsToMove: readonly ImportedTopicsToMove[];
  readonly lines: readonly LineReport[];
  readonly warnings: readonly ImportWarning[];
}

export interface ImportOptions {
  /** The group of tables that do not name it (Kafka up to 2.2), when the text does not either. */
  readonly groupId?: string;
}
