import { GROUP_PROBLEM_TYPES } from './group-problem-types.js';
import { type, type ProblemType } from './problem-type.js';

export type { ProblemType };

/**
 * Every code that this service answers, with its HTTP status. Kafka's names where Kafka has one. This list and its
 * parts are the only place where a code gets a status.
 */
export const PROBLEM_TYPES: ReadonlyMap<string, ProblemType> = new Map(
  Object.entries({
    // Requests that are wrong in themselves
    INVALID_REQUEST: type(
      400,
      'Invalid request',
      'A field or parameter is missing, unknown or of the wrong kind; `errors` names each one by JSON pointer. Fix the request.',
    ),
    MALFORMED_JSON: type(400, 'Malformed JSON', 'The body is not JSON, or not UTF-8. Nothing was read from it.'),
    LIMIT_EXCEEDED: type(
      422,
      'Limit exceeded',
      'A number or a list in the request is beyond a limit of this service; `errors` names the field and the limit.',
    ),
    NOT_FOUND: type(
      404,
      'Not found',
      'There is nothing at this path. The document at `/v1/openapi.json` lists every path.',
    ),
    METHOD_NOT_ALLOWED: type(
      405,
      'Method not allowed',
      'The path exists, but not for this method; the `Allow` header lists its methods.',
    ),
    NOT_ACCEPTABLE: type(406, 'Not acceptable', 'No media type of the `Accept` header can be served here.'),
    PAYLOAD_TOO_LARGE: type(413, 'Payload too large', 'The body is larger than this service takes. Split the request.'),
    URI_TOO_LONG: type(414, 'URI too long', 'A name in the path is longer than any name can be.'),
    UNSUPPORTED_MEDIA_TYPE: type(
      415,
      'Unsupported media type',
      'The body has a `Content-Type` that this operation does not read.',
    ),
    REQUEST_TIMEOUT: type(408, 'Request timeout', 'The request did not arrive in time.'),

    // Things that are not there
    CLUSTER_NOT_FOUND: type(
      404,
      'Cluster not found',
      'No cluster has this name. `default` exists from the start; create others by PUT.',
    ),
    BROKER_NOT_FOUND: type(404, 'Broker not found', 'The cluster has no broker with this id.'),
    UNKNOWN_TOPIC_OR_PARTITION: type(
      404,
      'Unknown topic or partition',
      'The cluster has no such topic, or the topic no such partition.',
    ),
    GROUP_ID_NOT_FOUND: type(
      404,
      'Group not found',
      'The cluster has no group with this id; a member that gets this must join again.',
    ),
    UNKNOWN_MEMBER_ID: type(
      404,
      'Unknown member',
      'The group does not know this member: it left, or its session expired. Stop working on its partitions and join again.',
    ),
    PLAN_NOT_FOUND: type(404, 'Plan not found', 'No stored plan has this id, or it expired.'),
    UNSUPPORTED_PARTITIONER: type(
      404,
      'Unsupported partitioner',
      'No partitioner has this name; `/v1/partitioners` lists them.',
    ),
    REVISION_NOT_FOUND: type(
      404,
      'Revision not found',
      'The group has not come to this revision yet; `newest` is the one it is at.',
    ),
    REVISION_COMPACTED: type(
      410,
      'Revision compacted',
      'The history no longer goes back that far. Read a fresh snapshot.',
    ),

    // Conditions of the caller
    STALE_REVISION: type(
      412,
      'Stale revision',
      'It changed since the revision in `If-Match`. Read it again, then decide again.',
    ),
    STALE_PLAN: type(
      412,
      'Stale plan',
      'The group changed since the plan was made; `changes` tell how. Look at them, and make a new plan.',
    ),
    PLAN_CLOSED: type(
      409,
      'Plan is closed',
      'The plan was applied or discarded; `planStatus`, `by` and `at` say which, by whom and when. Make a new plan.',
    ),
    PLAN_EXPIRED: type(409, 'Plan expired', 'The time in which the plan could be applied is over. Make a new plan.'),
    PLAN_NOT_APPROVED: type(
      409,
      'Plan is not approved',
      'The group asks that somebody other than the author approves a plan before it is applied.',
    ),
    PLAN_APPROVER_IS_AUTHOR: type(
      403,
      'Approver is the author',
      'The group asks that somebody other than the author approves a plan. Without access control everybody is the same.',
    ),
    PLAN_NOT_APPLICABLE: type(
      422,
      'Plan is not applicable',
      'The plan takes for granted what the service cannot do by itself; `blockers` name each such change and what to do first.',
    ),
    PRECONDITION_REQUIRED: type(
      428,
      'Precondition required',
      'Destructive requests need `If-Match` with the revision that was read, or `*` for whatever is there.',
    ),
    QUERY_NOT_ALLOWED: type(
      403,
      'Query not allowed',
      'GraphQL answers only the queries on its list here (`ALLOT_GRAPHQL_ALLOW_LIST`). Have the query put there.',
    ),
    IDEMPOTENCY_KEY_REUSED: type(
      422,
      'Idempotency key reused',
      'The same `Idempotency-Key` came before with another request. Use a new key for a new request.',
    ),
    OPERATION_NOT_FOUND: type(
      404,
      'Operation not found',
      'There is no operation with this id, or it ended more than a day ago.',
    ),
    OPERATION_INTERRUPTED: type(
      500,
      'Operation interrupted',
      'The service ended several times while it worked on this, and does not try again. Ask for less at once.',
    ),
    TOO_MANY_OPERATIONS: type(
      429,
      'Too many operations',
      'As many of your operations are running as may at once. Wait for one to end, or cancel one.',
    ),
    COMPUTING_BUSY: type(
      503,
      'Computing busy',
      'Too many questions wait to be computed. Retry after `Retry-After` seconds.',
    ),
    IDEMPOTENCY_KEY_IN_USE: type(
      409,
      'Idempotency key in use',
      'A request with this `Idempotency-Key` is still being answered. Retry shortly.',
    ),

    ...GROUP_PROBLEM_TYPES,

    // Clusters and topics
    INVALID_TOPIC_EXCEPTION: type(
      422,
      'Invalid topic',
      'Topic names have 1 to 249 characters of a-z, A-Z, 0-9, ".", "_" and "-", and are not "." or "..".',
    ),
    INVALID_PARTITIONS: type(
      422,
      'Invalid partitions',
      'The partition count is impossible, or smaller than it was: partitions only grow. Delete and recreate the topic to shrink it.',
    ),
    INVALID_REPLICATION_FACTOR: type(
      422,
      'Invalid replication factor',
      'There are not that many brokers, or the factor is not positive.',
    ),
    INCONSISTENT_TOPIC_ID: type(
      409,
      'Inconsistent topic id',
      'The topic exists with another id: it was deleted and created again. Delete it here first.',
    ),
    LEADER_NOT_AVAILABLE: type(
      409,
      'Leader not available',
      'No partition of the topic has a leader, so nothing can be sent to it.',
    ),
    COORDINATOR_NOT_AVAILABLE: type(
      409,
      'Coordinator not available',
      'The cluster has no broker that could coordinate the group: describe its brokers first. Or the group was deleted while a member ' +
        'of it waited: join again.',
    ),
    UNSUPPORTED_PLACER: type(422, 'Unsupported placer', 'No replica placer has this name; `/v1/placers` lists them.'),
    REPLICATION_DECREASED: type(
      422,
      'Replication decreased',
      'Partitions would lose replicas, because there are too few brokers. Add brokers, or allow it.',
    ),
    INVALID_REPLICA_ASSIGNMENT: type(
      422,
      'Invalid replica assignment',
      'The replicas, leader or in-sync replicas contradict each other.',
    ),
    NON_EMPTY_CLUSTER: type(409, 'Cluster is not empty', 'The cluster still has topics or groups. Delete them first.'),
    CLUSTER_PROTECTED: type(409, 'Cluster is protected', 'The cluster `default` cannot be deleted.'),
    IMPORT_FAILED: type(
      422,
      'Nothing to import',
      'Nothing in the text was understood; `lines` says why, line by line.',
    ),
    IMPORT_INCOMPLETE: type(
      422,
      'Import is incomplete',
      'The text does not say enough of a group to plan on it. The detail names the line and what to paste as well; the command line answers this.',
    ),

    // Assignors of one's own
    ASSIGNOR_TIMEOUT: type(
      504,
      'Assignor timeout',
      'An assignor of your own gave no answer in time. It is asked again later; nothing was changed.',
    ),
    ASSIGNOR_FAILED: type(
      502,
      'Assignor failed',
      'An assignor of your own threw an error, or its process ended. Fix its module; nothing was changed.',
    ),
    INVALID_ASSIGNMENT: type(
      502,
      'Invalid assignment',
      'An assignor of your own gave an answer that is no legal assignment of the group. Fix its module; nothing was changed.',
    ),

    // The service itself
    STORE_UNAVAILABLE: type(
      503,
      'Store unavailable',
      'The database cannot be reached. Nothing was changed unless an earlier answer said so. Retry.',
    ),
    OVERLOADED: type(503, 'Overloaded', 'The service has more to do than it can. Retry later.'),
    SHUTTING_DOWN: type(503, 'Shutting down', 'This instance is stopping. Retry, on another instance if there is one.'),
    INTERNAL_ERROR: type(
      500,
      'Internal error',
      'A fault of this service. The log has the details under the request id.',
    ),
  }),
);

/** The path that identifies a kind of problem, /problems/unknown-member-id. */
export function problemTypePath(code: string): string {
  return `/problems/${code.toLowerCase().replaceAll('_', '-')}`;
}

/** The type of a code. A code that nobody listed is a fault of this service, which a test finds. */
export function problemTypeOf(code: string): ProblemType {
  return PROBLEM_TYPES.get(code) ?? PROBLEM_TYPES.get('INTERNAL_ERROR')!;
}
