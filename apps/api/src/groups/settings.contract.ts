import { CONFLICT_ACTIONS, STATIC_POLICIES, WEEKDAYS } from '@allot/coordinator';
import { InputType, ObjectType } from '@nestjs/graphql';
import { LIMITS } from '../config/limits.js';
import { FlagField, IntField, NumberField, TextField, TextListField, TimeField } from '../contracts/fields.js';
import {
  Absent,
  both,
  Each,
  Flag,
  Integer,
  ListOf,
  Name,
  OneOf,
  Pattern,
  Quantity,
  rule,
} from '../validation/rules.js';
import { DAY_MS } from './group-rules.js';

export { CONFLICT_ACTIONS, STATIC_POLICIES };

/** A number within bounds, fractions allowed. */
function NumberFrom(min: number, max: number, excluded = false): PropertyDecorator {
  const range = excluded ? `above ${min} and below ${max}` : `from ${min} to ${max}`;
  return rule({
    name: 'number',
    complain: (value) => {
      const inside =
        typeof value === 'number' && (excluded ? value > min && value < max : value >= min && value <= max);
      return inside ? undefined : `must be a number ${range}`;
    },
  });
}

const TopicName = () => Name(LIMITS.topicNameLength);
const PartitionNumber = () => Integer(0, LIMITS.partitionsPerTopic - 1);

@ObjectType({ description: 'One partition of a topic.' })
@InputType('TopicPartitionInput')
export class TopicPartition {
  @TextField('Name of the topic.', { example: 'orders' })
  @TopicName()
  topic!: string;

  @IntField('Number of the partition.', { example: 3 })
  @PartitionNumber()
  partition!: number;
}

@ObjectType({ description: 'A partition that goes to a certain member, whatever the assignor.' })
@InputType('PinInput')
export class Pin extends TopicPartition {
  @TextField('A member id, or the instance id of a static member, which survives a restart.', { example: 'worker-1' })
  @Name()
  member!: string;
}

@ObjectType({ description: 'What weighted-sticky is told; other assignors do not read it.' })
@InputType('WeightedStickyInput')
export class WeightedSticky {
  @TextField('What is made even: count (when absent) or load.', { optional: true, enum: ['count', 'load'] })
  @both(Absent(), OneOf(['count', 'load']))
  balance?: 'count' | 'load';

  @NumberField('How far counts may be apart, per unit of capacity.', { optional: true, min: 1 })
  @both(Absent(), NumberFrom(1, LIMITS.partitionsPerTopic))
  maxSkew?: number;

  @NumberField('With load: hottest over coldest before a move; 2 when absent.', { optional: true, min: 1 })
  @both(Absent(), NumberFrom(1, Number.MAX_SAFE_INTEGER))
  relativeHysteresis?: number;

  @NumberField('With load: the least that a move must gain.', { optional: true, min: 0 })
  @both(Absent(), Quantity())
  absoluteHysteresis?: number;

  @IntField(
    'The most moves of one run that are not forced; what is left stays as it is, unlike with the moveBudget of the group.',
    { optional: true },
  )
  @both(Absent(), Integer(0, 2 ** 31 - 1))
  moveBudget?: number;

  @IntField('How long a partition that moved stays where it is, unless its owner is gone.', { optional: true })
  @both(Absent(), Integer(0, DAY_MS))
  cooldownMs?: number;
}

@ObjectType({
  description:
    'A time without new targets: once, with `from` and `until` as ISO 8601 times with an offset; or every week, with `days` and ' +
    '`from` and `until` as HH:MM on the wall clock of `timeZone`, until the day after when `until` is not later than `from`.',
})
@InputType('MaintenanceWindowInput')
export class MaintenanceWindow {
  @TextField('Beginning.', { example: '2026-12-24T18:00:00Z' })
  @Name(40)
  from!: string;

  @TextField('End, excluded.', { example: '2026-12-26T12:00:00Z' })
  @Name(40)
  until!: string;

  @TextListField(`Days on which it begins, of ${WEEKDAYS.join(', ')}.`, { optional: true })
  @both(Absent(), ListOf(7, 'days', 1))
  @Each('day', (value) => (WEEKDAYS.includes(value as never) ? undefined : `must be one of ${WEEKDAYS.join(', ')}`))
  days?: readonly (typeof WEEKDAYS)[number][];

  @TextField('An IANA time zone, for windows with days; UTC when absent.', { optional: true, example: 'Europe/Berlin' })
  @both(Absent(), Pattern(/^[A-Za-z0-9_+\-/]{1,64}$/, 'must be the name of a time zone'))
  timeZone?: string;
}

@ObjectType({ description: 'When a group freezes itself.' })
@InputType('AutoFreezeInput')
export class AutoFreeze {
  @NumberField('It does when it loses more than this share of its members within a session timeout.', { example: 0.4 })
  @NumberFrom(0, 1, true)
  share!: number;

  @IntField('Groups that had fewer members never do.', { min: 1, example: 5 })
  @Integer(1, LIMITS.groupSize)
  minMembers!: number;

  @FlagField('Whether members that leave of their own accord count; false when absent.', { optional: true })
  @both(Absent(), Flag())
  countLeaves?: boolean;
}

@ObjectType({ description: 'What keeps a group from a new target.' })
export class Hold {
  @TextField(
    'frozen and auto-frozen last until they are lifted, the others until `until`: maintenance-window, initial-delay, ' +
      'assignment-interval, assignor-fault. More may come.',
    { example: 'frozen' },
  )
  by!: string;

  @TextField('Why, in the words of whoever froze it.', { optional: true })
  reason?: string;

  @TimeField('Since when.', { optional: true })
  since?: Date;

  @TimeField('Until when.', { optional: true })
  until?: Date;

  @FlagField('Whether the group needs a new target meanwhile.', { example: true })
  targetWaits!: boolean;
}
