import type { TopicPartition } from '@allot/model';
import type { AssignOptions, Pin, WeightedStickyOptions } from '@allot/strategies';
import { withPins } from '@allot/strategies';
import { PLAN_LIMITS } from './check-group.js';
import { compact } from './compact.js';
import type { JsonReader } from './json-reader.js';
import { optional } from './json-reader.js';
import type { AssignorLookup } from './plan-types.js';

/** What an assignor is told beside the group; the same before and after the changes. */
export interface AssignmentRules {
  /** Kafka version whose rule is wanted; the newest when absent. */
  readonly kafkaVersion?: string;
  /** Partitions that belong to certain members, whatever the assignor. */
  readonly pins?: readonly Pin[];
  /** Read by `weighted-sticky` only. */
  readonly weightedSticky?: WeightedStickyOptions;
  /** Every subscribed partition once, in the order in which `threads-roundrobin` deals them out. */
  readonly partitionOrder?: readonly TopicPartition[];
}

export const RULE_KEYS = ['kafkaVersion', 'pins', 'weightedSticky', 'partitionOrder'];
const WEIGHTED_STICKY_KEYS = [
  'balance',
  'maxSkew',
  'relativeHysteresis',
  'absoluteHysteresis',
  'moveBudget',
  'coolingDown',
];

/** The rules alone, of an input that has more. */
export function rulesOf({ kafkaVersion, pins, weightedSticky, partitionOrder }: AssignmentRules): AssignmentRules {
  return compact({ kafkaVersion, pins, weightedSticky, partitionOrder });
}

/** The rules as options of an assignor. Pins are no option but part of the assignor: see `pinning`. */
export function optionsOf(rules: AssignmentRules): AssignOptions {
  const { pins: _, ...options } = rulesOf(rules);
  return options;
}

/** The same assignors, with the pins. Throws `AllotError` INVALID_REQUEST when a partition is pinned to two members. */
export function pinning(resolve: AssignorLookup, pins: readonly Pin[] | undefined): AssignorLookup {
  if (pins === undefined || pins.length === 0) return resolve;
  return (name) => {
    const assignor = resolve(name);
    return assignor && withPins(assignor, pins);
  };
}

/** Reads the form; what the fields mean is checked where they are used. */
export function readRules(reader: JsonReader, fields: Readonly<Record<string, unknown>>): AssignmentRules {
  const partitions = (value: unknown, pointer: string) =>
    reader.list(value, pointer, PLAN_LIMITS.partitions, (item, at) => readPartition(reader, item, at));
  return compact({
    kafkaVersion: optional(fields['kafkaVersion'], (value) => reader.text(value, '/kafkaVersion')),
    pins: optional(fields['pins'], (pins) => readPins(reader, pins, '/pins')),
    weightedSticky: optional(fields['weightedSticky'], (value) => {
      const told = reader.object(value, '/weightedSticky', WEIGHTED_STICKY_KEYS);
      const coolingDown = optional(told?.['coolingDown'], (list) => partitions(list, '/weightedSticky/coolingDown'));
      // The numbers are checked, with the range that they may have, by the assignor.
      return told && ({ ...told, ...compact({ coolingDown }) } as WeightedStickyOptions);
    }),
    partitionOrder: optional(fields['partitionOrder'], (order) => partitions(order, '/partitionOrder')),
  });
}

function readPartition(reader: JsonReader, value: unknown, pointer: string): TopicPartition | undefined {
  const fields = reader.object(value, pointer, ['topic', 'partition']);
  return fields && readFields(reader, fields, pointer);
}

export function readPins(reader: JsonReader, pins: unknown, pointer: string): Pin[] {
  return reader.list(pins, pointer, PLAN_LIMITS.partitions, (pin, at) => readPin(reader, pin, at));
}

function readPin(reader: JsonReader, value: unknown, pointer: string): Pin | undefined {
  const fields = reader.object(value, pointer, ['topic', 'partition', 'member']);
  return (
    fields && {
      ...readFields(reader, fields, pointer),
      member: reader.text(fields['member'], `${pointer}/member`) ?? '',
    }
  );
}

function readFields(reader: JsonReader, fields: Readonly<Record<string, unknown>>, pointer: string): TopicPartition {
  return {
    topic: reader.text(fields['topic'], `${pointer}/topic`) ?? '',
    partition: reader.integer(fields['partition'], `${pointer}/partition`, 0, PLAN_LIMITS.partitions) ?? 0,
  };
}
