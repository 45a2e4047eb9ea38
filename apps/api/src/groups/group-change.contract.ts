import { ApiPropertyOptional } from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { Absent, Flag, Integer, Name, Nested, NestedList, Nullable, OneOf } from '../validation/rules.js';
import { ASSIGNED_BY, GROUP_TYPES, PlanApproval } from './group.contract.js';
import { AssignorNames, DAY_MS } from './group-rules.js';
import {
  AutoFreeze,
  CONFLICT_ACTIONS,
  MaintenanceWindow,
  Pin,
  STATIC_POLICIES,
  TopicPartition,
  WeightedSticky,
} from './settings.contract.js';

const MOST_MOVES = 2 ** 31 - 1;
const MOST_PARTITIONS = 100_000;

/** What an operator may set; what is absent stays, or takes the default in a new group. */
export class GroupChange {
  @ApiPropertyOptional({ type: 'string', enum: GROUP_TYPES, default: 'consumer', description: 'Cannot change later.' })
  @Absent()
  @OneOf(GROUP_TYPES)
  type?: (typeof GROUP_TYPES)[number];

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
      {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        items: { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
      },
    ],
    default: 'range',
    description: "An assignor, or a list in order of preference; Kafka's class names are understood.",
  } as never)
  @Absent()
  @AssignorNames()
  assignor?: string | string[];

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 20,
    description: 'Kafka version whose assignor rule is wanted. Null: the newest.',
  })
  @Nullable()
  @Name(20)
  kafkaVersion?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: DAY_MS,
    default: 45_000,
    description: 'Clamped; the answer tells the effective value.',
  })
  @Absent()
  @Integer(1, DAY_MS)
  sessionTimeoutMs?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: DAY_MS,
    default: 5_000,
    description: 'Clamped to a third of the session timeout.',
  })
  @Absent()
  @Integer(1, DAY_MS)
  heartbeatIntervalMs?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: DAY_MS,
    default: 300_000,
    description: 'Clamped; the answer tells the effective value.',
  })
  @Absent()
  @Integer(1, DAY_MS)
  rebalanceTimeoutMs?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.groupSize,
    default: 1_000,
    description: 'Most members the group takes.',
  })
  @Absent()
  @Integer(1, LIMITS.groupSize)
  maxSize?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: DAY_MS,
    default: 1_000,
    description: 'Shortest time between two targets, in groups of 50 members and more. Clamped to 15 s.',
  })
  @Absent()
  @Integer(0, DAY_MS)
  assignmentIntervalMs?: number;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 0,
    maximum: LIMITS.groupSize,
    description: 'From how many members on `assignmentIntervalMs` counts; 50 when absent, 0 for every group.',
  })
  @Nullable()
  @Integer(0, LIMITS.groupSize)
  assignmentIntervalFromMembers?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 0,
    maximum: DAY_MS,
    description: 'How long a group that was empty waits for more members before its first target.',
  })
  @Nullable()
  @Integer(0, DAY_MS)
  initialDelayMs?: number | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    enum: ASSIGNED_BY,
    description: 'Of a classic group: who computes the assignment of a generation; `leader` when absent.',
  })
  @Nullable()
  @OneOf(ASSIGNED_BY)
  assignedBy?: (typeof ASSIGNED_BY)[number] | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MOST_MOVES,
    description:
      'The most partitions that one target takes from members that could keep them. What is left follows in further targets, each ' +
      'when the one before is carried out.',
  })
  @Nullable()
  @Integer(1, MOST_MOVES)
  moveBudget?: number | null;

  @ApiPropertyOptional({
    type: () => [Pin],
    nullable: true,
    description: 'Partitions that go to certain members, whatever the assignor; the rest is balanced around them.',
  })
  @Nullable()
  @NestedList(() => Pin, MOST_PARTITIONS, 'pins')
  pins?: Pin[] | null;

  @ApiPropertyOptional({ type: () => WeightedSticky, nullable: true, description: 'What weighted-sticky is told.' })
  @Nullable()
  @Nested(() => WeightedSticky)
  weightedSticky?: WeightedSticky | null;

  @ApiPropertyOptional({
    type: () => [TopicPartition],
    nullable: true,
    description: 'Every partition once, in the order in which threads-roundrobin deals them out; read by plans.',
  })
  @Nullable()
  @NestedList(() => TopicPartition, MOST_PARTITIONS, 'partitions')
  partitionOrder?: TopicPartition[] | null;

  @ApiPropertyOptional({
    type: 'boolean',
    description: 'true: no new target from now on; say why in `reason`. false: one at once, if the group needs one.',
  })
  @Absent()
  @Flag()
  frozen?: boolean;

  @ApiPropertyOptional({ type: () => [MaintenanceWindow], nullable: true, description: 'Times without new targets.' })
  @Nullable()
  @NestedList(() => MaintenanceWindow, 100, 'windows')
  maintenanceWindows?: MaintenanceWindow[] | null;

  @ApiPropertyOptional({ type: () => AutoFreeze, nullable: true, description: 'When the group freezes itself.' })
  @Nullable()
  @Nested(() => AutoFreeze)
  autoFreeze?: AutoFreeze | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    enum: [...STATIC_POLICIES, null],
    description:
      'Who wins when a second process joins under an instance id in use: the holder (oldest-wins, as in KIP-848, when absent), or the ' +
      'newcomer.',
  })
  @Nullable()
  @OneOf(STATIC_POLICIES)
  staticPolicy?: (typeof STATIC_POLICIES)[number] | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    enum: [...CONFLICT_ACTIONS, null],
    description: 'What the process that lost is told to do; absent: retry with oldest-wins, stop with newest-wins.',
  })
  @Nullable()
  @OneOf(CONFLICT_ACTIONS)
  onInstanceConflict?: (typeof CONFLICT_ACTIONS)[number] | null;

  @ApiPropertyOptional({ type: () => PlanApproval, description: 'Who must agree before a plan is applied.' })
  @Absent()
  @Nested(() => PlanApproval)
  planApproval?: PlanApproval;
}
