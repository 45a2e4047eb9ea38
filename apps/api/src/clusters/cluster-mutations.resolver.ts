import type { CatalogStore, Written } from '@allot/coordinator';
import { Inject } from '@nestjs/common';
import { Args, ArgsType, Field, Int, Mutation, ObjectType, Resolver } from '@nestjs/graphql';
import { Broker, BrokerChange, showBroker } from '../brokers/broker.contract.js';
import { LIMITS } from '../config/limits.js';
import { FlagField, ObjectField, TextField } from '../contracts/fields.js';
import { orConflict, NotEmpty, resultOf, StaleRevision, type Conflict } from '../graphql/conflicts.js';
import { inputOf } from '../graphql/derived-types.js';
import { DeleteArgs, deleteOptionsOf, WriteArgs, writeOptionsOf } from '../graphql/write-args.js';
import { CatalogChanges } from '../groups/catalog-changes.js';
import { CATALOG_STORE } from '../ports.js';
import { readTopicChange, showTopic } from '../topics/topic-form.js';
import { Topic, TopicChange } from '../topics/topic.contract.js';
import { Integer, Name, Nested } from '../validation/rules.js';
import { Cluster, ClusterChange, showCluster } from './cluster.contract.js';

const OUTCOMES = ['created', 'changed', 'unchanged'];

@ObjectType({ description: 'Something that was put.' })
class CatalogWrite {
  @TextField('created, changed or unchanged. More values may come.', { enum: OUTCOMES })
  outcome!: string;

  @FlagField('Nothing was changed: this is what would have been.')
  dryRun!: boolean;
}

@ObjectType()
class ClusterWritten extends CatalogWrite {
  @ObjectField(() => Cluster, 'The cluster as it is now.')
  cluster!: Cluster;
}

@ObjectType()
class BrokerWritten extends CatalogWrite {
  @ObjectField(() => Broker, 'The broker as it is now.')
  broker!: Broker;
}

@ObjectType()
class TopicWritten extends CatalogWrite {
  @ObjectField(() => Topic, 'The topic as it is now.')
  topic!: Topic;
}

@ObjectType({ description: 'It is gone; in a dry run it would be.' })
export class Deleted {
  @FlagField('Nothing was changed.')
  dryRun!: boolean;
}

const PutClusterResult = resultOf('PutClusterResult', ClusterWritten, StaleRevision);
const PutBrokerResult = resultOf('PutBrokerResult', BrokerWritten, StaleRevision);
const PutTopicResult = resultOf('PutTopicResult', TopicWritten, StaleRevision);
export const DeleteResult = resultOf('DeleteResult', Deleted, StaleRevision, NotEmpty);

const ClusterChangeInput = inputOf(ClusterChange);
const BrokerChangeInput = inputOf(BrokerChange);
const TopicChangeInput = inputOf(TopicChange);

@ArgsType()
class PutClusterArgs extends WriteArgs {
  @Field(() => ClusterChangeInput, { defaultValue: {}, description: 'What is absent stays.' })
  @Nested(() => ClusterChange)
  input!: ClusterChange;
}

@ArgsType()
class BrokerArgs extends WriteArgs {
  @Field(() => Int, { description: 'broker.id' })
  @Integer(0, LIMITS.brokerId)
  id!: number;

  @Field(() => BrokerChangeInput, { defaultValue: {}, description: 'What is absent stays.' })
  @Nested(() => BrokerChange)
  input!: BrokerChange;
}

@ArgsType()
class DeleteBrokerArgs extends DeleteArgs {
  @Field(() => Int, { description: 'broker.id' })
  @Integer(0, LIMITS.brokerId)
  id!: number;
}

@ArgsType()
class TopicArgs extends WriteArgs {
  @Field(() => String, { description: 'Name of the topic.' })
  @Name(LIMITS.topicNameLength)
  name!: string;

  @Field(() => TopicChangeInput, { defaultValue: {}, description: 'What is absent stays; partitions only grow.' })
  @Nested(() => TopicChange)
  input!: TopicChange;
}

@ArgsType()
class DeleteTopicArgs extends DeleteArgs {
  @Field(() => String, { description: 'Name of the topic.' })
  @Name(LIMITS.topicNameLength)
  name!: string;
}

/** Clusters, brokers and topics are changed by the same calls as in REST. */
@Resolver()
export class CatalogMutationsResolver {
  constructor(
    @Inject(CATALOG_STORE) private readonly catalog: CatalogStore,
    private readonly changes: CatalogChanges,
  ) {}

  @Mutation(() => PutClusterResult, { description: 'Create or change a cluster.' })
  putCluster(@Args() { cluster, input, ...args }: PutClusterArgs): Promise<ClusterWritten | Conflict> {
    const written = this.catalog.putCluster(cluster, input, writeOptionsOf(args));
    const show = ({ value, outcome }: Written<Parameters<typeof showCluster>[0]>) => {
      return { outcome, dryRun: args.dryRun, cluster: showCluster(value) };
    };
    return orConflict(written.then(show), StaleRevision);
  }

  @Mutation(() => DeleteResult, { description: 'Delete a cluster without topics and groups.' })
  deleteCluster(@Args() { cluster, ...args }: DeleteArgs): Promise<Deleted | Conflict> {
    return this.#gone(args.dryRun, this.catalog.deleteCluster(cluster, deleteOptionsOf(args)));
  }

  @Mutation(() => PutBrokerResult, { description: 'Create or change a broker.' })
  putBroker(@Args() { cluster, id, input, ...args }: BrokerArgs): Promise<BrokerWritten | Conflict> {
    const written = this.catalog.putBroker(cluster, id, input, writeOptionsOf(args));
    const show = ({ value, outcome }: Awaited<typeof written>) => {
      this.#announce(outcome !== 'unchanged' && !args.dryRun);
      return { outcome, dryRun: args.dryRun, broker: showBroker(value) };
    };
    return orConflict(written.then(show), StaleRevision);
  }

  @Mutation(() => DeleteResult, { description: 'Delete a broker.' })
  deleteBroker(@Args() { cluster, id, ...args }: DeleteBrokerArgs): Promise<Deleted | Conflict> {
    return this.#gone(args.dryRun, this.catalog.deleteBroker(cluster, id, deleteOptionsOf(args)));
  }

  @Mutation(() => PutTopicResult, { description: 'Create, grow or describe a topic.' })
  putTopic(@Args() { cluster, name, input, ...args }: TopicArgs): Promise<TopicWritten | Conflict> {
    const written = this.catalog.putTopic(cluster, name, readTopicChange(input), writeOptionsOf(args));
    const show = ({ value, outcome }: Awaited<typeof written>) => {
      this.#announce(outcome !== 'unchanged' && !args.dryRun);
      return { outcome, dryRun: args.dryRun, topic: { ...showTopic(value), cluster } };
    };
    return orConflict(written.then(show), StaleRevision);
  }

  @Mutation(() => DeleteResult, { description: 'Delete a topic; groups that read it lose its partitions at once.' })
  deleteTopic(@Args() { cluster, name, ...args }: DeleteTopicArgs): Promise<Deleted | Conflict> {
    return this.#gone(args.dryRun, this.catalog.deleteTopic(cluster, name, deleteOptionsOf(args)));
  }

  #gone(dryRun: boolean, deletion: Promise<void>): Promise<Deleted | Conflict> {
    const told = deletion.then(() => {
      this.#announce(!dryRun);
      return { dryRun };
    });
    return orConflict(told, StaleRevision, NotEmpty);
  }

  /** Groups hear of it at once; those of other replicas within a pass of their sweepers. */
  #announce(changed: boolean): void {
    if (changed) this.changes.announce();
  }
}
