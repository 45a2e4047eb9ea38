import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Origin } from '@allot/coordinator';
import { invalidRequest } from '@allot/model';
import { Operation, ReadsAlso } from '../contracts/operation.js';
import { RequestOrigin } from '../http/origin.js';
import { ClusterName } from '../http/path-names.js';
import { readContract } from '../validation/contract-pipe.js';
import { ImportQuery, ImportReport, ImportRequest } from './import.contract.js';
import { ClusterImporter } from './cluster-importer.js';

@ApiTags('imports')
@Controller('v1/clusters/:cluster/imports')
export class ImportsController {
  constructor(private readonly importer: ClusterImporter) {}

  @Post()
  @ReadsAlso('text/plain')
  @Operation({
    id: 'importText',
    summary: "Import the output of Kafka's command-line tools",
    description:
      'Takes what kafka-topics.sh --describe and kafka-consumer-groups.sh --describe print, of any Kafka version and in ' +
      'any mixture, as text/plain or in JSON. Topics are created or grown, all of them or none. Groups become read-only ' +
      'snapshots that plans can be made on. The answer accounts for every line.',
    path: ['cluster'],
    body: {
      type: ImportRequest,
      example: { text: 'Topic: orders\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: ' },
    },
    answers: { 200: { description: 'What was understood and what became of it.', type: ImportReport } },
    problems: [
      'CLUSTER_NOT_FOUND',
      'IMPORT_FAILED',
      'INVALID_PARTITIONS',
      'INCONSISTENT_TOPIC_ID',
      'INVALID_REPLICA_ASSIGNMENT',
    ],
    idempotent: true,
  })
  importText(
    @ClusterName() cluster: string,
    @Body() body: unknown,
    @Query() query: ImportQuery,
    @RequestOrigin() origin: Origin,
  ): Promise<ImportReport> {
    const { text, groupId = query.group } = readBody(body);
    return this.importer.import(cluster, text, { groupId, dryRun: query.dryRun === true, origin });
  }
}

function readBody(body: unknown): ImportRequest {
  if (typeof body === 'string') return { text: body };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const detail = 'must be text, or a JSON object with the field text';
    throw invalidRequest(`The body ${detail}.`, [{ pointer: '', detail }]);
  }
  return readContract(ImportRequest, body, '/');
}
