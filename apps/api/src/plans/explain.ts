import { invalidRequest, parseTopicPartition } from '@allot/model';
import { explainMember, explainPartition, memberExplanationToJson, type PlanResult } from '@allot/planner';
import type { ExplainQuery, MemberExplanation, PartitionExplanation } from './explanation.contract.js';

/** Explains what the query asks about; the query is read before the plan is computed. */
export function explain(query: ExplainQuery, run: () => PlanResult): PartitionExplanation | MemberExplanation {
  const { partition, member } = query;
  if (member !== undefined && partition === undefined) return memberExplanationToJson(explainMember(run(), member));
  if (partition === undefined || member !== undefined) {
    const detail = 'say which partition or which member, one of the two';
    throw invalidRequest(`The query must ${detail}: ?partition=orders-3 or ?member=c1.`, [
      { pointer: 'partition', detail },
      { pointer: 'member', detail },
    ]);
  }
  const wanted = parseTopicPartition(partition);
  if (wanted === undefined) {
    const detail = 'must be a topic, a hyphen and a number, such as orders-3';
    throw invalidRequest(`The partition in the query ${detail}.`, [{ pointer: 'partition', detail }]);
  }
  return explainPartition(run(), wanted.topic, wanted.partition);
}
