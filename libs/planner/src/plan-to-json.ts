import type { AssignmentJson, GroupAssignment, OwnerChange, RackLocality, Skew } from '@allot/model';
import {
  assignmentToJson,
  compareText,
  countPartitions,
  diffByMember,
  EMPTY_ASSIGNMENT,
  summarizeLoads,
} from '@allot/model';
import type { Disruption, IdleMember, PlanResult, PlanWarning, RebalanceProtocol, ResizedTopic } from './plan-types.js';

export interface SkewJson {
  readonly overall: number;
  readonly perTopic: Readonly<Record<string, number>>;
}

/** A plan as it is written out; assignments are topic -> sorted partition numbers. */
export interface PlanJson {
  readonly assignor: string;
  readonly kafkaVersions: string;
  readonly protocol: RebalanceProtocol;
  readonly currentSource: 'owned' | 'computed';
  readonly current: Readonly<Record<string, AssignmentJson>>;
  readonly target: Readonly<Record<string, AssignmentJson>>;
  readonly assignment: Readonly<Record<string, AssignmentJson>>;
  readonly diff: readonly OwnerChange[];
  /** The same by member: what each gains and loses; members without a change are left out. */
  readonly memberDiff: Readonly<Record<string, { readonly gained: AssignmentJson; readonly lost: AssignmentJson }>>;
  readonly stats: {
    readonly moves: number;
    readonly forcedMoves: number;
    readonly skew: SkewJson;
    readonly skewBefore: SkewJson;
    readonly weightedSkew: PlanResult['weightedSkew'];
    readonly resizedTopics: readonly ResizedTopic[];
    readonly members: number;
    readonly partitions: number;
    readonly least: number;
    readonly most: number;
    readonly idle: readonly string[];
    readonly rackLocality: { readonly before: RackLocality; readonly after: RackLocality };
  };
  readonly idle: readonly IdleMember[];
  readonly unowned: AssignmentJson;
  readonly unknownTopics: readonly string[];
  readonly disruption: Readonly<Record<RebalanceProtocol, Disruption>>;
  readonly addedMembers: readonly string[];
  readonly removedMembers: readonly string[];
  readonly warnings: readonly PlanWarning[];
}

/** Writes a plan; objects have no prototype, so that every member id and topic name is an ordinary key. */
export function planToJson(result: PlanResult): PlanJson {
  const { owners, target, skew, ...same } = result;
  const loads = summarizeLoads(
    owners.after.members.map(({ id }) => countPartitions(target.get(id) ?? EMPTY_ASSIGNMENT)),
  );
  return {
    assignor: same.assignor,
    kafkaVersions: same.kafkaVersions,
    protocol: same.protocol,
    currentSource: same.currentSource,
    current: groupToJson(result.current),
    target: groupToJson(target),
    assignment: groupToJson(same.assignment),
    diff: same.diff,
    memberDiff: memberDiffToJson(same.diff),
    stats: {
      moves: same.moves,
      forcedMoves: same.forcedMoves,
      skew: skewToJson(skew.after),
      skewBefore: skewToJson(skew.before),
      weightedSkew: same.weightedSkew,
      resizedTopics: same.resizedTopics,
      members: loads.members,
      partitions: loads.partitions,
      least: loads.least,
      most: loads.most,
      idle: same.idle.map(({ member }) => member),
      rackLocality: same.rackLocality,
    },
    idle: same.idle,
    unowned: assignmentToJson(same.unowned),
    unknownTopics: same.unknownTopics,
    disruption: same.disruption,
    addedMembers: same.addedMembers,
    removedMembers: same.removedMembers,
    warnings: same.warnings,
  };
}

function memberDiffToJson(diff: readonly OwnerChange[]): PlanJson['memberDiff'] {
  const json = Object.create(null) as Record<string, PlanJson['memberDiff'][string]>;
  for (const [member, { gained, lost }] of diffByMember(diff)) {
    json[member] = { gained: assignmentToJson(gained), lost: assignmentToJson(lost) };
  }
  return json;
}

/** Member id -> topic -> partition numbers, in the assignment's member order. */
export function groupToJson(assignment: GroupAssignment): Readonly<Record<string, AssignmentJson>> {
  const json = Object.create(null) as Record<string, AssignmentJson>;
  for (const [member, owned] of assignment) json[member] = assignmentToJson(owned);
  return json;
}

/** Skew with plain objects, topics in code unit order. */
export function skewToJson({ overall, perTopic }: Skew): SkewJson {
  const json = Object.create(null) as Record<string, number>;
  for (const topic of [...perTopic.keys()].sort(compareText)) json[topic] = perTopic.get(topic)!;
  return { overall, perTopic: json };
}
