import { ArgsType, Field } from '@nestjs/graphql';
import { Name } from '../validation/rules.js';

/** The argument of everything that is about one cluster. */
@ArgsType()
export class ClusterArgs {
  @Field(() => String, { defaultValue: 'default', description: 'Name of the cluster.' })
  @Name()
  cluster: string = 'default';
}
