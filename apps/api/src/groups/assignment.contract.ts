import { assignmentFromJson, assignmentToJson, type Assignment, type AssignmentJson } from '@allot/model';
import { Int, ObjectType } from '@nestjs/graphql';
import { IntListField, SchemaField, TextField, type FieldOptions } from '../contracts/fields.js';
import { LIMITS } from '../config/limits.js';
import { complainAboutInteger, inside, rule, show } from '../validation/rules.js';

const SCHEMA = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'integer', minimum: 0 } },
  example: { orders: [0, 1, 2, 3] },
};

/** The partitions of one topic; GraphQL's form of one entry of an assignment. */
@ObjectType({ description: 'Partitions of one topic, ascending.' })
export class TopicPartitions {
  @TextField('Name of the topic.')
  topic!: string;

  @IntListField('Partition numbers, ascending.')
  partitions!: number[];
}

/** An assignment in REST: topic -> sorted partition numbers. GraphQL gets the same as a list, by a field resolver. */
export function AssignmentField(description: string, options: FieldOptions = {}): PropertyDecorator {
  return SchemaField(`${description} Topic to sorted partition numbers.`, SCHEMA, () => [Int], {
    ...options,
    only: 'rest',
  });
}

/** The schema of an assignment, for fields of requests. */
export const ASSIGNMENT_SCHEMA = SCHEMA;

/** A field of a request that holds an assignment. */
export function AssignmentOf(): PropertyDecorator {
  return rule({ name: 'assignment', complain: complainAboutAssignment });
}

/** What is wrong with an assignment in its JSON form; undefined when nothing is. */
export function complainAboutAssignment(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `must be an object of topic to partition numbers, not ${show(value)}`;
  }
  const topics = Object.keys(value).length;
  if (topics > LIMITS.subscribedTopics) return `must name at most ${LIMITS.subscribedTopics} topics, not ${topics}`;
  for (const [topic, partitions] of Object.entries(value)) {
    const at = `/${topic.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (topic === '' || topic.length > LIMITS.topicNameLength) return inside(at, 'is no name of a topic');
    if (!Array.isArray(partitions)) return inside(at, `must be a list of partition numbers, not ${show(partitions)}`);
    for (const [index, partition] of partitions.entries()) {
      const complaint = complainAboutInteger(partition, 0, LIMITS.partitionsPerTopic - 1);
      if (complaint !== undefined) return inside(`${at}/${index}`, complaint);
    }
  }
  return undefined;
}

export function readAssignment(json: AssignmentJson | undefined): { owned?: Assignment } {
  return json === undefined ? {} : { owned: assignmentFromJson(json) };
}

export function showAssignment(assignment: Assignment): AssignmentJson {
  return assignmentToJson(assignment);
}

/** The GraphQL form of an assignment in its JSON form. */
export function listAssignment(json: AssignmentJson): TopicPartitions[] {
  return Object.keys(json).map((topic) => ({ topic, partitions: [...json[topic]!] }));
}
