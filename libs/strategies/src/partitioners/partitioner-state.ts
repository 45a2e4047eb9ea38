import { invalidRequest } from '@allot/model';
import { JavaRandom } from '../hashing/java-random.js';
import { javaStringHashCode } from '../hashing/java-hash-map.js';
import { toPositive } from './key-partition.js';
import type { PartitionerState, PartitionerTopic } from './partitioner.js';

/**
 * What a partitioner remembers of a topic before its first record. Kafka's producers draw from a random source that nobody
 * can predict; here it is a seed, so that every run can be repeated. Each topic draws from a sequence of its own.
 */
export function initialState(seed: number | bigint, topic = ''): PartitionerState {
  if (typeof seed === 'number' && !Number.isSafeInteger(seed)) throw invalidRequest(`The seed ${seed} is no integer.`);
  return { random: JavaRandom.seeded(BigInt(seed) ^ (BigInt(javaStringHashCode(topic)) << 16n)).state };
}

/** A random number and the state after it. */
export interface Draw {
  readonly value: number;
  readonly random: number;
}

/** Any signed 32-bit integer. */
export function drawInt(random: number): Draw {
  const source = JavaRandom.resumed(random);
  return { value: source.nextInt(), random: source.state };
}

/** An integer from 0 to 2^31 - 1, as Kafka's partitioners draw it. */
export function draw(random: number): Draw {
  const { value, random: next } = drawInt(random);
  return { value: toPositive(value), random: next };
}

/** The partition that `value` falls on: one of those with a leader, or any when none has one. */
export function pickAvailable({ partitions, available }: PartitionerTopic, value: number): number {
  if (available === undefined || available.length === 0) return value % partitions;
  return available[value % available.length]!;
}

/** The partition that a counter points at among those with a leader. Counters are Java ints: they wrap at 32 bits. */
export function turn(topic: PartitionerTopic, counter: number): number {
  return pickAvailable(topic, toPositive(counter));
}

/** The state with a counter, which starts at a random number, so that many producers do not all begin with partition 0. */
export function startCounter(state: PartitionerState): PartitionerState & { readonly counter: number } {
  if (state.counter !== undefined) return { ...state, counter: state.counter };
  const { value, random } = drawInt(state.random);
  return { ...state, random, counter: value };
}
