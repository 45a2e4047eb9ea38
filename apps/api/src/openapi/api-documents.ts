import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { PROBLEM_TYPES, problemTypePath } from '../problems/problem-types.js';
import { VERSION } from '../version.js';

const DESCRIPTION = `Computes, explains and serves partition assignments by Apache Kafka's own rules.

Errors are RFC 9457 problems with Kafka's codes; [docs/problems.md] lists them. Answers carry \`ETag: "<revision>"\`;
updates may send it back as \`If-Match\`. \`?dryRun=true\` on a mutation does all of its checks and changes nothing. Lists
are paged by \`pageSize\` and \`pageToken\`. Names in paths are percent-encoded. Enums are open: accept unknown values.`;

const TAGS: Readonly<Record<string, string>> = {
  clusters: 'Kafka clusters, real or imagined.',
  brokers: 'Brokers with their racks.',
  topics: 'Topics with their partitions.',
  groups: 'Consumer groups and what they assign.',
  members: 'Joining, heartbeats and leaving.',
  streams: 'Changes as they happen, by server-sent events.',
  plans: 'What would happen if.',
  assignors: 'Rules that divide partitions among members.',
  partitioners: 'Rules by which producers choose partitions.',
  placements: 'Rules that place replicas on brokers.',
  imports: "The output of Kafka's own command-line tools, read into a cluster.",
};

/** The OpenAPI document of the application, from its decorators. */
export function openApiDocument(app: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Allot')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setOpenAPIVersion('3.1.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/');
  const document = SwaggerModule.createDocument(app, builder.build());
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path as Record<string, DescribedOperation & { tags?: string[] }>),
  );
  for (const operation of operations) correctDerivedParts(operation);
  const used = new Set(operations.flatMap(({ tags = [] }) => tags));
  // There is no access control yet, which the document says rather than leaves open.
  document.security = [];
  document.tags = [...used].sort().map((name) => ({ name, description: TAGS[name] ?? name }));
  return document;
}

interface DescribedOperation {
  requestBody?: { content: Record<string, object> };
  parameters?: { name: string; in: string }[];
}

/** Puts right what Swagger derives from the handlers' parameters without being asked. */
function correctDerivedParts({ requestBody, parameters }: DescribedOperation): void {
  // Every media type of a body gets the schema of the contract class; a text body is just text.
  if (requestBody !== undefined && 'text/plain' in requestBody.content) {
    requestBody.content['text/plain'] = { schema: { type: 'string' } };
  }
  // Headers that a handler reads appear in small letters beside the described ones.
  const derived = parameters?.filter(({ in: place, name }) => place === 'header' && name === name.toLowerCase()) ?? [];
  for (const parameter of derived) parameters!.splice(parameters!.indexOf(parameter), 1);
}

/** The GraphQL schema of the application, sorted. */
export function schemaDocument(app: NestFastifyApplication): string {
  const { schema } = app.get(GraphQLSchemaHost, { strict: false });
  return `# Generated from the code by \`npm run api:generate\`.\n\n${printSchema(lexicographicSortSchema(schema))}\n`;
}

/** docs/problems.md. */
export function problemsDocument(): string {
  const rows = [...PROBLEM_TYPES].map(
    ([code, { status, title, meaning }]) =>
      `### ${code}\n\n\`${problemTypePath(code)}\` · ${status} ${title}\n\n${meaning}\n`,
  );
  return [
    '# Problems',
    '',
    'Every answer that is not a success is an RFC 9457 problem (`application/problem+json`). `type` identifies the kind,',
    '`detail` says what is wrong this time, `action` what to do (`rejoin`, `retry`, `refresh`, `stop`, `fix-request`),',
    '`errors` which fields are wrong, and `requestId` finds the request in the log. GraphQL errors carry the same `code`,',
    '`action` and facts in `extensions`. New codes may appear: treat unknown ones by their status.',
    '',
    'This page is generated from the code by `npm run api:generate`.',
    '',
    ...rows,
  ].join('\n');
}
