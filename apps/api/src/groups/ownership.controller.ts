import { GroupCoordinator } from '@allot/coordinator';
import { assignmentFromJson, invalidRequest } from '@allot/model';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../contracts/operation.js';
import { ClusterName, GroupId } from '../http/path-names.js';
import { showVerdict } from './group-view.js';
import { OwnershipAnswer, OwnershipRequest } from './ownership.contract.js';

@ApiTags('members')
@Controller('v1/clusters/:cluster/groups/:group')
export class OwnershipController {
  constructor(private readonly coordinator: GroupCoordinator) {}

  @Post('verify-ownership')
  @Operation({
    id: 'verifyOwnership',
    summary: 'Ask whether a member still holds partitions, before a write that must not be done twice',
    description:
      'A partition is held if the member received it at or before the claimed epoch and has it still, assigned or to be given up, and ' +
      "the member's time is not over by the database's clock. Changes nothing and keeps no session alive.",
    path: ['cluster', 'group'],
    body: { type: OwnershipRequest, example: { memberId: 'c1', memberEpoch: 1, partitions: { orders: [0, 1] } } },
    answers: { 200: { description: 'Whether the claim holds; a fenced one is an answer too.', type: OwnershipAnswer } },
    problems: ['CLUSTER_NOT_FOUND', 'GROUP_ID_NOT_FOUND', 'GROUP_READ_ONLY'],
  })
  async verify(
    @ClusterName() cluster: string,
    @GroupId() groupId: string,
    @Body() { memberId, memberEpoch, generation, partitions }: OwnershipRequest,
  ): Promise<OwnershipAnswer> {
    const claim = {
      memberId,
      memberEpoch: epochOf(memberEpoch, generation),
      partitions: assignmentFromJson(partitions),
    };
    return showVerdict(await this.coordinator.verifyOwnership({ cluster, groupId }, claim));
  }
}

/** One number says when a member got what it has: its epoch, or in a classic group the generation. */
function epochOf(memberEpoch: number | undefined, generation: number | undefined): number {
  const epoch = memberEpoch ?? generation;
  if (epoch !== undefined && (memberEpoch === undefined || generation === undefined)) return epoch;
  throw invalidRequest('Send either memberEpoch or, for a classic group, generation.', [
    { pointer: '/memberEpoch', detail: epoch === undefined ? 'is missing' : 'cannot be there beside generation' },
  ]);
}
