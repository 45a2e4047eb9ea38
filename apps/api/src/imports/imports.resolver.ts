import { Args, ArgsType, Context, Field, Mutation, Resolver } from '@nestjs/graphql';
import { inputOf, outputOf } from '../graphql/derived-types.js';
import { originOf, RequestContext } from '../graphql/request-context.js';
import { MutationArgs } from '../graphql/write-args.js';
import { Nested } from '../validation/rules.js';
import { ClusterImporter } from './cluster-importer.js';
import { ImportReport, ImportRequest } from './import.contract.js';

const ImportRequestInput = inputOf(ImportRequest);
outputOf(ImportReport);

@ArgsType()
class ImportArgs extends MutationArgs {
  @Field(() => ImportRequestInput)
  @Nested(() => ImportRequest)
  input!: ImportRequest;
}

@Resolver()
export class ImportsResolver {
  constructor(private readonly importer: ClusterImporter) {}

  @Mutation(() => ImportReport, {
    description: "Import what Kafka's command-line tools print. Larger texts than GraphQL takes go to REST.",
  })
  importText(
    @Args() { cluster, input: { text, groupId }, dryRun, reason }: ImportArgs,
    @Context() context: RequestContext,
  ): Promise<ImportReport> {
    return this.importer.import(cluster, text, { groupId, dryRun, origin: originOf(context, reason) });
  }
}
