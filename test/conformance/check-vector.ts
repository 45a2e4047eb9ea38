import type { BrokerHistory } from './broker-history.js';
import { checkAssignor, checkCoordinator, checkPartitioner, checkPlacement } from './suites.js';
import type { Comparison } from './suites.js';
import {
  MalformedVector,
  readAssignorVector,
  readCoordinatorVector,
  readPartitionerVector,
  readPlacementVector,
} from './vector-shapes.js';

/** The field that tells which kind of vector a line is, and the suite that runs it. */
const suites = new Map<string, (vector: unknown, history?: BrokerHistory) => Comparison>([
  ['assignor', (vector, history) => checkAssignor(readAssignorVector(vector), history)],
  ['placer', (vector) => checkPlacement(readPlacementVector(vector))],
  ['keyHex', (vector) => checkPartitioner(readPartitionerVector(vector))],
  ['groupId', (vector) => checkCoordinator(readCoordinatorVector(vector))],
]);

/** Runs one line of a vector file. Throws `MalformedVector` when it is not JSON or of no known kind. */
export function checkVector(text: string, history?: BrokerHistory): Comparison {
  const vector = parse(text);
  const kinds = [...suites.keys()].filter((field) => Object.hasOwn(vector, field));
  if (kinds.length !== 1) {
    throw new MalformedVector(
      kinds.length === 0
        ? `unknown kind of vector: it has none of the fields ${[...suites.keys()].join(', ')}`
        : `ambiguous kind of vector: it has the fields ${kinds.join(' and ')}`,
    );
  }
  return suites.get(kinds[0]!)!(vector, history);
}

function parse(text: string): object {
  let vector: unknown;
  try {
    vector = JSON.parse(text);
  } catch (error) {
    throw new MalformedVector(`not JSON: ${(error as Error).message}`);
  }
  if (typeof vector !== 'object' || vector === null || Array.isArray(vector)) {
    throw new MalformedVector('not a JSON object');
  }
  return vector;
}
