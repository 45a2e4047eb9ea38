import { createHash, randomUUID } from 'node:crypto';
import {
  groupSpecOf,
  type GroupReading,
  type GroupRef,
  type GroupStore,
  type Origin,
  type PlanStore,
  type StoredPlan,
} from '@allot/coordinator';
import { AllotError, invalidRequest } from '@allot/model';
import {
  changesFromJson,
  groupToJson,
  plan,
  planToJson,
  type Change,
  type PlanInput,
  type PlanResult,
} from '@allot/planner';
import { Inject, Injectable } from '@nestjs/common';
import { AssignorRegistry } from '../assignors/assignor-registry.js';
import { readGroup } from '../groups/read-group.js';
import { GROUP_STORE, PLAN_STORE } from '../ports.js';
import { complainAboutInteger } from '../validation/rules.js';
import type { GroupPlanRequest } from './plan.contract.js';

const DAY_MS = 86_400_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 7 * DAY_MS;

/** What-ifs on groups that are stored here: the same pure function that a running group is assigned by, on the group as it is. */
@Injectable()
export class GroupPlanner {
  constructor(
    @Inject(GROUP_STORE) private readonly groups: GroupStore,
    @Inject(PLAN_STORE) private readonly plans: PlanStore,
    private readonly assignors: AssignorRegistry,
  ) {}

  async make(ref: GroupRef, body: GroupPlanRequest, { actor, reason }: Origin): Promise<StoredPlan> {
    const { changes, validForMs } = readRequest(body);
    const reading = await readGroup(this.groups, ref);
    const input = planInputOf(reading, changes === undefined ? [] : changesFromJson(changes));
    return this.plans.save({
      id: randomUUID(),
      ref,
      baseRevision: reading.group.revision,
      inputHash: hashOf(input),
      author: actor,
      ...(reason !== undefined && { reason }),
      request: { changes: changes ?? [] },
      result: planToJson(plan(input, this.assignors.find)),
      validForMs,
    });
  }

  /** @throws AllotError PLAN_NOT_FOUND. */
  async get(ref: GroupRef, id: string): Promise<StoredPlan> {
    const found = UUID.test(id) ? await this.plans.get(id) : undefined;
    if (found !== undefined && found.ref.cluster === ref.cluster && found.ref.groupId === ref.groupId) return found;
    throw new AllotError('PLAN_NOT_FOUND', `The group ${ref.groupId} has no plan ${id}; it may have expired.`, {
      action: 'fix-request',
    });
  }

  /**
   * The whole result of a stored plan, of which the store has what is shown. It is the same as long as the same is read.
   * @throws AllotError PLAN_NOT_FOUND, STALE_PLAN when the group is another by now, GROUP_ID_NOT_FOUND when it is gone.
   */
  async recompute(ref: GroupRef, id: string): Promise<PlanResult> {
    const { request, inputHash } = await this.get(ref, id);
    const { changes } = request as { readonly changes: unknown };
    const input = planInputOf(await readGroup(this.groups, ref), changesFromJson(changes));
    if (hashOf(input) === inputHash) return plan(input, this.assignors.find);
    throw new AllotError('STALE_PLAN', `The group ${ref.groupId} changed since the plan was made; make a new plan.`, {
      action: 'refresh',
    });
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The group as it is, in the planner's form, with every topic of the cluster that the changes name. A live group moves partition by
 * partition; an imported one as its assignor does.
 */
function planInputOf({ group, catalog }: GroupReading, changes: readonly Change[]): PlanInput {
  const { assignors, kafkaVersion } = group.settings;
  const { topics, members } = groupSpecOf(group, catalog);
  const known = new Set(topics.map(({ name }) => name));
  const named = [...new Set(changes.flatMap(topicsOf))].filter((name) => !known.has(name));
  const more = named.flatMap((name) => catalog.topics.get(name) ?? []);
  return {
    topics: [...topics, ...more],
    members,
    assignor: assignors,
    ...(kafkaVersion !== undefined && { kafkaVersion }),
    ...(group.source === 'live' && { live: true }),
    changes,
  };
}

/** Topics that a change takes for granted; one that it adds is not among them. */
function topicsOf(change: Change): readonly string[] {
  if ('topic' in change) return [change.topic];
  if ('removeTopic' in change) return [change.removeTopic];
  if ('member' in change) return change.topics ?? [];
  if (!('addMembers' in change)) return [];
  const { addMembers, topics = [] } = change;
  const own = typeof addMembers === 'number' ? [] : addMembers;
  return [...topics, ...own.flatMap((member) => (typeof member === 'string' ? [] : (member.topics ?? [])))];
}

function readRequest(body: unknown): { changes?: unknown; validForMs: number } {
  const request = body ?? {};
  if (typeof request !== 'object' || Array.isArray(request)) {
    throw invalidRequest('The body must be a JSON object.', [{ pointer: '', detail: 'must be a JSON object' }]);
  }
  const { changes, validForMs = DAY_MS, ...unknown } = request as Record<string, unknown>;
  const errors = Object.keys(unknown).map((key) => ({
    pointer: `/${key}`,
    detail: 'is unknown; known are changes, validForMs',
  }));
  const complaint = complainAboutInteger(validForMs, SHORTEST_MS, LONGEST_MS);
  if (complaint !== undefined) errors.push({ pointer: '/validForMs', detail: complaint });
  if (errors.length > 0) throw invalidRequest(`${errors[0]!.pointer} ${errors[0]!.detail}.`, errors);
  return { ...(changes !== undefined && { changes }), validForMs: validForMs as number };
}

/** Equal hashes mean that the same function read the same input. */
function hashOf({ members, ...input }: PlanInput): string {
  const owned = groupToJson(new Map(members.map((member) => [member.id, member.owned ?? new Map()])));
  const plain = members.map(({ owned: _owned, ...member }) => member);
  return createHash('sha256')
    .update(JSON.stringify([input, plain, owned]))
    .digest('hex');
}
