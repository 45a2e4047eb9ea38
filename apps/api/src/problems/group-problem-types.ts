import { type } from './problem-type.js';

/** The codes about members and groups; a part of `PROBLEM_TYPES`. */
export const GROUP_PROBLEM_TYPES = {
  FENCED_MEMBER_EPOCH: type(
    409,
    'Fenced member epoch',
    'The member epoch is not the one that the group has for this member. Drop all partitions at once and join again.',
  ),
  STALE_MEMBER_EPOCH: type(409, 'Stale member epoch', 'The member has a newer epoch by now. Read it and retry.'),
  ILLEGAL_GENERATION: type(
    409,
    'Illegal generation',
    'The group is in another generation. Drop all partitions and join again.',
  ),
  FENCED_INSTANCE_ID: type(409, 'Fenced instance id', 'Another member took over this instance id. Stop this one.'),
  UNRELEASED_INSTANCE_ID: type(
    409,
    'Unreleased instance id',
    'Another member still holds this instance id. Retry when its session has ended.',
  ),
  MEMBER_ID_REQUIRED: type(
    409,
    'Member id required',
    'A new member of a classic group was given the id in `memberId`. Send the same join again with it.',
  ),
  INVALID_GROUP_ASSIGNMENT: type(
    422,
    'Invalid group assignment',
    "The leader's assignment names a member that is not in the generation, a partition that does not exist, or one partition twice; `errors` " +
      'names each. The generation goes on waiting: send another.',
  ),
  REBALANCE_IN_PROGRESS: type(
    409,
    'Rebalance in progress',
    'The group is rebalancing; a member of a classic group must join again, with the `revision` of this problem.',
  ),
  GROUP_MAX_SIZE_REACHED: type(409, 'Group is full', 'The group has as many members as it takes.'),
  NON_EMPTY_GROUP: type(409, 'Group is not empty', 'The group still has members. Let them leave first.'),
  GROUP_READ_ONLY: type(
    409,
    'Group is read-only',
    'The group is an imported snapshot, which nobody can join or change.',
  ),
  INCONSISTENT_GROUP_PROTOCOL: type(
    422,
    'Inconsistent group protocol',
    'The member and the group have no protocol in common.',
  ),
  UNSUPPORTED_ASSIGNOR: type(422, 'Unsupported assignor', 'No assignor has this name; `/v1/assignors` lists them.'),
  UNSUPPORTED_KAFKA_VERSION: type(
    422,
    'Unsupported Kafka version',
    'The assignor does not exist in that version of Kafka, or the version is not known.',
  ),
  INVALID_SESSION_TIMEOUT: type(
    422,
    'Invalid session timeout',
    'The session timeout is outside of what the service allows.',
  ),
  INVALID_REGULAR_EXPRESSION: type(
    422,
    'Invalid regular expression',
    'The pattern is not a regular expression in RE2 syntax.',
  ),
  INVALID_GROUP_ID: type(422, 'Invalid group id', 'The group id is empty or has characters that it cannot have.'),

  MEMBER_ID_IN_USE: type(
    409,
    'Member id in use',
    'A live member has this id. Join without an id to get a new one, or let the same worker start over by a heartbeat with epoch 0.',
  ),
  PARTITION_COVERED: type(
    422,
    'Partition is covered by a subscription',
    'A manual member chose a partition that the group gives to its subscribers. Choose others, or use another group.',
  ),
  PARTITION_IN_USE: type(
    409,
    'Partition in use',
    'A manual member chose a partition that another member holds. Retry when that one has left.',
  ),
  MEMBER_NOT_DRAINABLE: type(
    422,
    'Member cannot be drained',
    'A manual member has nobody to hand its partitions to. Stop it, and it leaves.',
  ),
  GROUP_IS_LIVE: type(409, 'Group is live', 'A group that is served here cannot be replaced by an import.'),
};
