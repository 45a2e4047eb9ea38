import type { AssignmentJson } from '@allot/model';
import { groupToJson } from './plan-to-json.js';
import type { SimulationResult } from './simulation-types.js';

/** A simulation as it is written out; `assignment` is what everybody has at the end. */
export interface SimulationJson extends Omit<SimulationResult, 'after' | 'assignment'> {
  readonly assignment: Readonly<Record<string, AssignmentJson>>;
}

export function simulationToJson({ after: _, assignment, ...result }: SimulationResult): SimulationJson {
  return { ...result, assignment: groupToJson(assignment) };
}
