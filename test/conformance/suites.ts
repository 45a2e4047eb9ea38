import { assignmentFromJson } from '@allot/model';
import type { GroupAssignment, GroupSpec } from '@allot/model';
import {
  coordinatorPartition,
  javaStringHashCode,
  murmur2,
  partitionForKey,
  resolveAssignor,
  resolvePlacer,
} from '@allot/strategies';
import type { AssignOptions } from '@allot/strategies';
import type { BrokerHistory, OwnedInOrder } from './broker-history.js';
import { partitionsByName, valuesByPartition } from './canonical-json.js';
import { MalformedVector } from './vector-shapes.js';
import type { AssignorVector, CoordinatorVector, PartitionerVector, PlacementVector } from './vector-shapes.js';

/** What Kafka answered and what Allot answers, both as canonical JSON: equal text means equal answers. */
export interface Comparison {
  readonly id: string | undefined;
  readonly expected: string;
  readonly got: string;
  /** Whether the answer may depend on an order that neither the vector nor the lines before it tell. */
  readonly guessed?: boolean;
}

/** The broker's assignors changed after Kafka 4.0; vectors that do not name a version were recorded with that one. */
const SERVER_VECTORS_VERSION = '4.0';

/** Compares what an assignor hands out in this round. `history` has seen the lines before, if there were any. */
export function checkAssignor(vector: AssignorVector, history?: BrokerHistory): Comparison {
  const assignor = known(() => resolveAssignor(vector.assignor));
  const kafkaVersion =
    vector.kafkaVersion ?? (vector.assignor.startsWith('server-') ? SERVER_VECTORS_VERSION : undefined);
  const told = kafkaVersion === undefined ? undefined : history?.advance(vector, kafkaVersion);
  const inOrder = vector.ownedOrder === 'given' ? ownedAsListed(vector) : told?.owned;
  return {
    id: vector.id,
    expected: partitionsByName(Object.entries(vector.assignment).map(([id, owned]) => [id, Object.entries(owned)])),
    got: answer(() => {
      const options: AssignOptions = {
        ...(kafkaVersion === undefined ? {} : { kafkaVersion }),
        ...(inOrder === undefined ? {} : { ownedOrder: 'given' }),
      };
      const { assignment } = assignor.assign(groupOf(vector, inOrder), options);
      return assignmentText(assignment);
    }),
    ...(vector.ownedOrder !== 'given' && told?.guessed === true ? { guessed: true } : {}),
  };
}

/** Compares the replicas of every partition, in their order. */
export function checkPlacement(vector: PlacementVector): Comparison {
  const placer = known(() => resolvePlacer(vector.placer));
  return {
    id: vector.id,
    expected: valuesByPartition(Object.entries(vector.replicas).map(([p, replicas]) => [Number(p), replicas])),
    got: answer(() => valuesByPartition([...placer.place(vector).replicas])),
  };
}

/** Compares murmur2 and the default partitioner's choice for a key. */
export function checkPartitioner(vector: PartitionerVector): Comparison {
  const key = Uint8Array.from(Buffer.from(vector.keyHex, 'hex'));
  return {
    id: vector.id,
    expected: JSON.stringify({ murmur2: vector.murmur2, partition: vector.partition }),
    got: answer(() => JSON.stringify({ murmur2: murmur2(key), partition: partitionForKey(key, vector.partitions) })),
  };
}

/** Compares a group id's hash code and its partition of __consumer_offsets. */
export function checkCoordinator({ id, groupId, ...vector }: CoordinatorVector): Comparison {
  return {
    id: id ?? groupId,
    expected: JSON.stringify({ hashCode: vector.hashCode, partition: vector.partition }),
    got: answer(() =>
      JSON.stringify({
        hashCode: javaStringHashCode(groupId),
        partition: coordinatorPartition(groupId, vector.offsetsPartitions),
      }),
    ),
  };
}

/** A name that the registry refuses makes the vector unknown; it is not a difference of answers. */
function known<T>(resolve: () => T): T {
  try {
    return resolve();
  } catch (error) {
    throw new MalformedVector((error as Error).message);
  }
}

/** Kafka always answered, so an error of ours is a wrong answer like any other. */
function answer(compute: () => string): string {
  try {
    return compute();
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function ownedAsListed({ members }: AssignorVector): OwnedInOrder['owned'] {
  return new Map(members.map(({ id, owned = {} }) => [id, new Map(Object.entries(owned))]));
}

function groupOf({ topics, members }: AssignorVector, inOrder?: OwnedInOrder['owned']): GroupSpec {
  return {
    topics,
    members: members.map((member) => ({
      ...member,
      owned: inOrder?.get(member.id) ?? (member.owned && assignmentFromJson(member.owned)),
    })),
  };
}

function assignmentText(assignment: GroupAssignment): string {
  return partitionsByName([...assignment].map(([id, owned]) => [id, [...owned]]));
}
