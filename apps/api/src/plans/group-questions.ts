import type { CatalogStore, GroupRef, GroupStore } from '@allot/coordinator';
import {
  groupComparisonFromJson,
  groupRightSizeFromJson,
  groupSimulationFromJson,
  type PlanInput,
  type SimulationInput,
  type SimulationStep,
} from '@allot/planner';
import { Inject, Injectable } from '@nestjs/common';
import { Computing } from '../computing/computing.js';
import type { Answers } from '../computing/questions.js';
import { readGroup } from '../groups/read-group.js';
import { CATALOG_STORE, GROUP_STORE } from '../ports.js';
import { groupInputOf } from './plan-input.js';
import { placementFor } from './replica-placement.js';

/**
 * Questions about a group that is stored here, as it is at this moment: its topics, members, what they own, assignors and rules
 * are those that a plan would take. Nothing is stored.
 */
@Injectable()
export class GroupQuestions {
  constructor(
    @Inject(CATALOG_STORE) private readonly catalog: CatalogStore,
    @Inject(GROUP_STORE) private readonly groups: GroupStore,
    private readonly computing: Computing,
  ) {}

  async compare(ref: GroupRef, body: unknown): Promise<Answers['compare']> {
    const { changes, assignors } = groupComparisonFromJson(body);
    const input = { ...(await this.read(ref, changes)), changes };
    return this.computing.answer('compare-group', { input, assignors });
  }

  async rightSize(ref: GroupRef, body: unknown): Promise<Answers['right-size']> {
    const { changes, upTo } = groupRightSizeFromJson(body);
    const input = { ...(await this.read(ref, changes)), changes };
    return this.computing.answer('right-size-group', { input, ...(upTo !== undefined && { upTo }) });
  }

  async simulate(ref: GroupRef, body: unknown): Promise<Answers['simulate']> {
    return this.computing.answer('simulate-group', { input: await this.readSimulation(ref, body) });
  }

  async recommend(ref: GroupRef, body: unknown): Promise<Answers['recommend']> {
    return this.computing.answer('recommend-group', { input: await this.readSimulation(ref, body) });
  }

  private async readSimulation(ref: GroupRef, body: unknown): Promise<SimulationInput> {
    const asked = groupSimulationFromJson(body);
    return { ...(await this.read(ref, asked.steps)), ...asked };
  }

  private async read(ref: GroupRef, steps: readonly SimulationStep[]): Promise<Omit<PlanInput, 'changes'>> {
    const reading = await readGroup(this.groups, ref);
    const placement = await placementFor(this.catalog, ref.cluster, steps);
    return groupInputOf(reading, steps, { at: reading.now }, placement);
  }
}
