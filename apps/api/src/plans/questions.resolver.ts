import type { Type } from '@nestjs/common';
import type { Answers } from '../computing/questions.js';
import { Args, ArgsType, createUnionType, Field, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow } from 'class-validator';
import { Cluster } from '../clusters/cluster.contract.js';
import { Computing } from '../computing/computing.js';
import { outputOf } from '../graphql/derived-types.js';
import { Json } from '../graphql/json.js';
import { Name } from '../validation/rules.js';
import { GroupQuestions } from './group-questions.js';
import { ComparedAssignor, ComparisonAnswer, RefusingAssignor, RightSizeAnswer } from './plan-comparison.contract.js';
import { PlanAnswer } from './plan.contract.js';
import { Explained, ExplainArgs, explainQuery } from './plans.resolver.js';
import { RecommendationsAnswer, SimulationAnswer } from './simulation.contract.js';

const ComparedOrRefusing = createUnionType({
  name: 'ComparisonRow',
  description: 'How one assignor does, or why it refuses.',
  types: () => [ComparedAssignor, RefusingAssignor] as const,
  resolveType: (row: object) => ('refused' in row ? 'RefusingAssignor' : 'ComparedAssignor'),
});
outputOf(ComparedAssignor);
outputOf(RefusingAssignor);
outputOf(ComparisonAnswer, { rows: () => [ComparedOrRefusing] });
for (const answer of [PlanAnswer, RightSizeAnswer, SimulationAnswer, RecommendationsAnswer] as Type<unknown>[])
  outputOf(answer);

/** The body of the same question in REST, which is what is checked and what docs/planning.md describes. */
const Body = () => Args('input', { type: () => Json, description: 'The body of the same question in REST.' });

@ArgsType()
class QuestionArgs extends ExplainArgs {
  @Field(() => Json, { description: 'The body of a plan in REST.' })
  @Allow()
  input!: unknown;
}

@ArgsType()
class GroupArgs {
  @Field(() => String, { description: 'Id of the group.' })
  @Name()
  group!: string;

  @Field(() => Json, { description: 'The body of the same question in REST.' })
  @Allow()
  input!: unknown;
}

/** What-ifs on groups that the question brings along. Nothing is stored. */
@Resolver()
export class QuestionsResolver {
  constructor(private readonly computing: Computing) {}

  @Query(() => PlanAnswer, { description: 'What if; as POST /v1/plans.' })
  planTopology(@Body() input: unknown): Promise<Answers['plan']> {
    return this.computing.answer('plan', input);
  }

  @Query(() => ComparisonAnswer, { description: 'Several assignors side by side; as POST /v1/plans/compare.' })
  compareAssignors(@Body() input: unknown): Promise<Answers['compare']> {
    return this.computing.answer('compare', input);
  }

  @Query(() => RightSizeAnswer, { description: 'Numbers of members that help; as POST /v1/plans/right-size.' })
  rightSize(@Body() input: unknown): Promise<Answers['right-size']> {
    return this.computing.answer('right-size', input);
  }

  @Query(() => SimulationAnswer, { description: 'What a sequence of events costs; as POST /v1/simulations.' })
  simulate(@Body() input: unknown): Promise<Answers['simulate']> {
    return this.computing.answer('simulate', input);
  }

  @Query(() => RecommendationsAnswer, {
    description: 'Settings that make a sequence cheaper; as POST /v1/simulations/recommend.',
  })
  recommend(@Body() input: unknown): Promise<Answers['recommend']> {
    return this.computing.answer('recommend', input);
  }

  @Query(() => Explained, { description: 'Why, in a group of the question; as POST /v1/plans/explain.' })
  explainTopology(@Args() { input, ...args }: QuestionArgs): Promise<Answers['explain']> {
    return this.computing.answer('explain', { body: input, query: explainQuery(args) });
  }
}

/** The same on one stored group; each is a computation of its own, so not below a list of groups. */
@Resolver(() => Cluster)
export class GroupQuestionsResolver {
  constructor(private readonly questions: GroupQuestions) {}

  @ResolveField(() => ComparisonAnswer, { description: 'As POST .../groups/{group}/plans/compare.' })
  compareGroupAssignors(@Parent() cluster: Cluster, @Args() { group, input }: GroupArgs): Promise<Answers['compare']> {
    return this.questions.compare({ cluster: cluster.name, groupId: group }, input);
  }

  @ResolveField(() => RightSizeAnswer, { description: 'As POST .../groups/{group}/plans/right-size.' })
  rightSizeGroup(@Parent() cluster: Cluster, @Args() { group, input }: GroupArgs): Promise<Answers['right-size']> {
    return this.questions.rightSize({ cluster: cluster.name, groupId: group }, input);
  }

  @ResolveField(() => SimulationAnswer, { description: 'As POST .../groups/{group}/simulations.' })
  simulateGroup(@Parent() cluster: Cluster, @Args() { group, input }: GroupArgs): Promise<Answers['simulate']> {
    return this.questions.simulate({ cluster: cluster.name, groupId: group }, input);
  }

  @ResolveField(() => RecommendationsAnswer, { description: 'As POST .../groups/{group}/simulations/recommend.' })
  recommendGroupSettings(
    @Parent() cluster: Cluster,
    @Args() { group, input }: GroupArgs,
  ): Promise<Answers['recommend']> {
    return this.questions.recommend({ cluster: cluster.name, groupId: group }, input);
  }
}
