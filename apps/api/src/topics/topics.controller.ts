import type { CatalogStore } from '@allot/coordinator';
import { Body, Controller, Delete, Get, Headers, Inject, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Operation } from '../contracts/operation.js';
import { CatalogChanges } from '../groups/catalog-changes.js';
import { answerWritten, MutationQuery, writeOptions } from '../http/mutation.js';
import { ClusterName, TopicName } from '../http/path-names.js';
import { notModified, readIfMatch, requireIfMatch } from '../http/preconditions.js';
import { pageRequest, PageQuery, toPage } from '../paging/page.js';
import { CATALOG_STORE } from '../ports.js';
import { readTopicChange, showTopic } from './topic-form.js';
import { Topic, TopicChange, TopicPage, TOPICS } from './topic.contract.js';

@ApiTags('topics')
@Controller('v1/clusters/:cluster/topics')
export class TopicsController {
  constructor(
    @Inject(CATALOG_STORE) private readonly catalog: CatalogStore,
    private readonly changes: CatalogChanges,
  ) {}

  @Get()
  @Operation({
    id: 'listTopics',
    summary: 'List the topics of a cluster',
    path: ['cluster'],
    answers: { 200: { description: 'Topics by name.', type: TopicPage } },
    problems: ['CLUSTER_NOT_FOUND'],
  })
  async list(@ClusterName() cluster: string, @Query() query: PageQuery): Promise<TopicPage> {
    return toPage(TOPICS, await this.catalog.listTopics(cluster, pageRequest(TOPICS, query)), showTopic);
  }

  @Get(':topic')
  @Operation({
    id: 'getTopic',
    summary: 'Read a topic',
    path: ['cluster', 'topic'],
    answers: {
      200: { description: 'The topic.', type: Topic },
      304: { description: 'If-None-Match names this revision.' },
    },
    problems: ['CLUSTER_NOT_FOUND', 'UNKNOWN_TOPIC_OR_PARTITION'],
  })
  async get(
    @ClusterName() cluster: string,
    @TopicName() name: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-none-match') ifNoneMatch?: string,
  ): Promise<Topic | undefined> {
    const topic = await this.catalog.getTopic(cluster, name);
    return notModified(reply, ifNoneMatch, topic.revision) ? undefined : showTopic(topic);
  }

  @Put(':topic')
  @Operation({
    id: 'putTopic',
    summary: 'Create, grow or describe a topic',
    description:
      'What the body leaves out stays as it is. Partitions only grow: to shrink a topic, delete it and create it again, ' +
      'as in Kafka. Groups that subscribe to the topic see the new partitions at once.',
    path: ['cluster', 'topic'],
    body: { type: TopicChange, example: { partitions: 10 }, required: false },
    answers: {
      200: { description: 'The topic as it is now.', type: Topic },
      201: { description: 'The new topic.', type: Topic },
    },
    problems: [
      'CLUSTER_NOT_FOUND',
      'UNKNOWN_TOPIC_OR_PARTITION',
      'INVALID_TOPIC_EXCEPTION',
      'INVALID_PARTITIONS',
      'INVALID_REPLICA_ASSIGNMENT',
    ],
    ifMatch: 'optional',
  })
  async put(
    @ClusterName() cluster: string,
    @TopicName() name: string,
    @Body() change: TopicChange,
    @Query() query: MutationQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Headers('if-match') ifMatch?: string,
  ): Promise<Topic> {
    const precondition = readIfMatch(ifMatch);
    if (precondition === 'exists') await this.catalog.getTopic(cluster, name);
    const options = writeOptions(query, precondition);
    const written = await this.catalog.putTopic(cluster, name, readTopicChange(change), options);
    if (written.outcome !== 'unchanged' && query.dryRun !== true) this.changes.announce();
    return showTopic(answerWritten(reply, written, query));
  }

  @Delete(':topic')
  @Operation({
    id: 'deleteTopic',
    summary: 'Delete a topic',
    description: 'Groups that subscribe to it lose its partitions at once.',
    path: ['cluster', 'topic'],
    answers: { 204: { description: 'It is gone.' } },
    problems: ['CLUSTER_NOT_FOUND', 'UNKNOWN_TOPIC_OR_PARTITION'],
    ifMatch: 'required',
  })
  async delete(
    @ClusterName() cluster: string,
    @TopicName() name: string,
    @Query() query: MutationQuery,
    @Headers('if-match') ifMatch?: string,
  ): Promise<void> {
    await this.catalog.deleteTopic(cluster, name, writeOptions(query, requireIfMatch(ifMatch)));
    if (query.dryRun !== true) this.changes.announce();
  }
}
