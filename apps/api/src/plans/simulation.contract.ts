import {
  DEFAULT_TIMING,
  SIMULATION_LIMITS,
  type Recommendations,
  type SimulationJson,
  type SimulationStep,
  type Timing,
} from '@allot/planner';
import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType, PickType } from '@nestjs/swagger';
import { ASSIGNMENT_SCHEMA } from '../groups/assignment.contract.js';
import { PlanRequest } from './plan.contract.js';

const COUNT = { type: 'integer', minimum: 0 } as const;
const MILLISECONDS = { type: 'number', minimum: 0, maximum: 86_400_000 } as const;

@ApiSchema({
  description: 'How long things take, in milliseconds. They weigh the pauses; who owns what does not depend on them.',
})
export class SimulationTiming implements Timing {
  @ApiPropertyOptional({
    ...MILLISECONDS,
    default: DEFAULT_TIMING.rebalanceMs,
    description: 'Eager and cooperative: from a revocation until the partitions are processed again.',
  })
  rebalanceMs!: number;

  @ApiPropertyOptional({
    ...MILLISECONDS,
    default: DEFAULT_TIMING.handoverMs,
    description: 'Consumer protocol: from giving a partition up until its next owner has it.',
  })
  handoverMs!: number;

  @ApiPropertyOptional({
    ...MILLISECONDS,
    default: DEFAULT_TIMING.restartMs,
    description: 'From the stop of a process until its successor joins.',
  })
  restartMs!: number;

  @ApiPropertyOptional({
    ...MILLISECONDS,
    default: DEFAULT_TIMING.sessionTimeoutMs,
    description: 'How long the group waits for a member that is gone without a word.',
  })
  sessionTimeoutMs!: number;
}

@ApiSchema({ description: 'A group as in a plan, and what happens to it, step by step.' })
export class SimulationRequest extends OmitType(PlanRequest, ['changes'] as const) {
  @ApiPropertyOptional({ type: () => SimulationTiming })
  timing?: unknown;

  @ApiProperty({
    type: 'array',
    maxItems: SIMULATION_LIMITS.steps,
    items: { type: 'object', minProperties: 1 },
    description:
      'In order. Each is one of: rollingRestart (with batchSize and members), crash (a count, or ids), zoneLoss (a rack), or a ' +
      `change as in a plan. Together they may ask for ${SIMULATION_LIMITS.events.toLocaleString('en-US')} rebalances.`,
    example: [{ rollingRestart: { batchSize: 1 } }, { crash: 1 }],
  })
  steps!: unknown;
}

@ApiSchema({ description: 'What happens to a stored group, step by step.' })
export class GroupSimulationRequest extends PickType(SimulationRequest, ['steps', 'timing', 'protocol'] as const) {}

class Cost {
  @ApiProperty(COUNT)
  rebalances!: number;

  @ApiProperty({ ...COUNT, description: 'Partitions that went from one member to another.' })
  moves!: number;

  @ApiProperty({ ...COUNT, description: 'Moves that no assignor could avoid.' })
  forcedMoves!: number;

  @ApiProperty({
    type: 'number',
    minimum: 0,
    description: 'Partitions times the seconds in which nobody processed them.',
  })
  partitionSecondsPaused!: number;

  @ApiProperty({ ...COUNT, description: 'The most partitions that a member had.' })
  peakLoad!: number;
}

@ApiSchema({ description: 'One thing that happened to the group.' })
export class SimulationEvent extends Cost {
  @ApiProperty({
    type: 'string',
    examples: ['leave', 'join', 'static-restart', 'crash', 'change'],
    description: 'leave, join, static-restart, crash or change. More values may come.',
  })
  kind!: SimulationJson['steps'][number]['events'][number]['kind'];

  @ApiProperty({ type: [String], description: 'The members that it is about; empty for changes of topics.' })
  about!: readonly string[];

  @ApiProperty({ ...COUNT, description: 'Members after it.' })
  members!: number;
}

@ApiSchema({ description: 'What one step came to.' })
export class SimulatedStep extends Cost {
  @ApiProperty({ type: 'object', description: 'The step.', additionalProperties: true })
  step!: SimulationStep;

  @ApiProperty({ type: () => [SimulationEvent] })
  events!: readonly SimulationEvent[];
}

@ApiSchema({ description: 'What a whole sequence came to.' })
export class SimulationTotal extends Cost {
  @ApiProperty({ ...COUNT, description: 'Partitions that ended with another owner than they began with.' })
  displaced!: number;
}

export class SimulationAnswer {
  @ApiProperty({ type: 'string', example: 'sticky', description: 'The assignor at the end.' })
  assignor!: string;

  @ApiProperty({ type: 'string', enum: ['eager', 'cooperative', 'consumer'], description: 'The protocol at the end.' })
  protocol!: SimulationJson['protocol'];

  @ApiProperty({ type: () => SimulationTiming, description: 'The times that were used.' })
  timing!: SimulationTiming;

  @ApiProperty({ type: () => [SimulatedStep] })
  steps!: readonly SimulatedStep[];

  @ApiProperty({ type: () => SimulationTotal })
  total!: SimulationTotal;

  @ApiProperty({
    type: 'object',
    additionalProperties: ASSIGNMENT_SCHEMA,
    description: 'Member to assignment at the end.',
  })
  assignment!: SimulationJson['assignment'];
}

@ApiSchema({
  description: "The sequence's cost less the cost with the setting; negative where the setting costs more.",
})
export class Saving {
  @ApiProperty({ type: 'integer' })
  rebalances!: number;

  @ApiProperty({ type: 'integer' })
  moves!: number;

  @ApiProperty({ type: 'number' })
  partitionSecondsPaused!: number;

  @ApiProperty({ type: 'integer' })
  peakLoad!: number;
}

@ApiSchema({ description: 'A setting that makes the sequence cheaper.' })
export class Recommendation {
  @ApiProperty({
    type: 'string',
    examples: ['static-membership', 'cooperative-protocol', 'consumer-protocol', 'batch-size'],
    description: 'static-membership, cooperative-protocol, consumer-protocol or batch-size. More values may come.',
  })
  setting!: Recommendations['recommendations'][number]['setting'];

  @ApiProperty({ type: 'string', description: 'For people: what to set.' })
  how!: string;

  @ApiProperty({ type: () => SimulationTotal, description: 'The cost of the sequence with it, played on this group.' })
  total!: SimulationTotal;

  @ApiProperty({ type: () => Saving })
  saved!: Saving;
}

export class RecommendationsAnswer {
  @ApiProperty({ type: () => SimulationTotal, description: 'The cost of the sequence as it is.' })
  baseline!: SimulationTotal;

  @ApiProperty({ type: () => [Recommendation], description: 'The largest saving first.' })
  recommendations!: readonly Recommendation[];
}
