import type { AssignmentCell } from './assignment-cell.js';
import { readAssignmentCell, readTopicListCell } from './assignment-cell.js';
import { readInt32, readSafeInteger } from './cell-values.js';
import type { MemberRow, OffsetRow, OwnerRow, StateFact } from './group-draft.js';
import type { ImportedGroupState } from './import-result.js';
import type { TableHeader } from './table-columns.js';
import type { Cells } from './table-row.js';

export interface RowProblem {
  readonly problem: string;
}

export interface OffsetsRowReading {
  /** `undefined`: the row is about a member without partitions. */
  readonly partition: OffsetRow | undefined;
  readonly owner: OwnerRow | undefined;
}

/** A row of the offsets view: a partition with or without an owner, or a member without partitions. */
export function readOffsetsRow(cells: Cells, index: number): OffsetsRowReading | RowProblem {
  const memberId = cells.get('CONSUMER-ID');
  if (memberId === undefined && (cells.has('HOST') || cells.has('CLIENT-ID'))) {
    return { problem: 'HOST or CLIENT-ID without a CONSUMER-ID: it is unclear who owns the partition.' };
  }
  const owner = memberId === undefined ? undefined : { memberId, ...clientOf(cells), index };
  const topic = cells.get('TOPIC');
  const partition = int32(cells, 'PARTITION');
  if ((topic === undefined) !== (partition === undefined)) {
    return { problem: `${topic === undefined ? 'TOPIC' : 'PARTITION'} is missing.` };
  }
  if (topic === undefined || partition === undefined) {
    if (owner === undefined) return { problem: 'The row names neither a partition nor a member.' };
    return { partition: undefined, owner };
  }
  const row = {
    topic,
    partition,
    leaderEpoch: int32(cells, 'LEADER-EPOCH'),
    currentOffset: integer(cells, 'CURRENT-OFFSET'),
    logEndOffset: integer(cells, 'LOG-END-OFFSET'),
    lag: integer(cells, 'LAG'),
    memberId,
    index,
  };
  return { partition: row, owner };
}

/** A row of the members view in any of its ASSIGNMENT grammars. */
export function readMemberRow(header: TableHeader, cells: Cells, index: number): MemberRow | RowProblem {
  const memberId = cells.get('CONSUMER-ID');
  if (memberId === undefined) return { problem: 'CONSUMER-ID is missing.' };
  const columns = new Set(header.columns.map(({ name }) => name));
  const current = columns.has('CURRENT-ASSIGNMENT')
    ? readTopicListCell('CURRENT-ASSIGNMENT', cells.get('CURRENT-ASSIGNMENT'))
    : columns.has('ASSIGNMENT')
      ? readAssignmentCell(cells.get('ASSIGNMENT'))
      : undefined;
  // A classic group has hyphens for the epoch and the assignment of its target: it has none, not an empty one.
  const target = cells.has('TARGET-EPOCH')
    ? readTopicListCell('TARGET-ASSIGNMENT', cells.get('TARGET-ASSIGNMENT'))
    : undefined;
  for (const cell of [current, target]) if (cell?.type === 'problem') return { problem: cell.reason };
  const upgraded = cells.get('UPGRADED');
  return {
    memberId,
    ...clientOf(cells),
    instanceId: cells.get('GROUP-INSTANCE-ID'),
    currentEpoch: int32(cells, 'CURRENT-EPOCH'),
    targetEpoch: int32(cells, 'TARGET-EPOCH'),
    upgraded: upgraded === undefined ? undefined : upgraded === 'true',
    declaredPartitionCount: int32(cells, '#PARTITIONS'),
    assignment: assignmentOf(current),
    targetAssignment: assignmentOf(target),
    topicNamesMissing: current?.type === 'topic-names-missing',
    index,
  };
}

const STATES: ReadonlyMap<string, ImportedGroupState> = new Map([
  ['stable', 'stable'],
  ['empty', 'empty'],
  ['dead', 'dead'],
  ['preparingrebalance', 'rebalancing'],
  ['completingrebalance', 'rebalancing'],
  ['assigning', 'rebalancing'],
  ['reconciling', 'rebalancing'],
]);

/** A row of the state view. */
export function readStateRow(cells: Cells, index: number): StateFact {
  const kafkaState = cells.get('STATE')!;
  const coordinator = /^(.*):(\d+)\s+\((-?\d+)\)$/.exec(cells.get('COORDINATOR (ID)') ?? '');
  return {
    state: STATES.get(kafkaState.replaceAll('_', '').toLowerCase()) ?? 'unknown',
    kafkaState,
    coordinator:
      coordinator === null
        ? undefined
        : { host: coordinator[1]!, port: Number(coordinator[2]), brokerId: Number(coordinator[3]) },
    assignor: cells.get('ASSIGNMENT-STRATEGY'),
    groupEpoch: int32(cells, 'GROUP-EPOCH'),
    assignmentEpoch: int32(cells, 'TARGET-ASSIGNMENT-EPOCH'),
    memberCount: int32(cells, '#MEMBERS'),
    index,
  };
}

function clientOf(cells: Cells): { clientId: string | undefined; host: string | undefined } {
  const host = cells.get('HOST');
  return { clientId: cells.get('CLIENT-ID'), host: host?.startsWith('/') ? host.slice(1) : host };
}

function assignmentOf(cell: AssignmentCell | undefined) {
  return cell?.type === 'assignment' ? cell.assignment : undefined;
}

function int32(cells: Cells, column: string): number | undefined {
  const cell = cells.get(column);
  return cell === undefined ? undefined : readInt32(cell);
}

function integer(cells: Cells, column: string): number | undefined {
  const cell = cells.get(column);
  return cell === undefined ? undefined : readSafeInteger(cell);
}
