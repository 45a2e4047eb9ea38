import type { AssignmentJson } from '@allot/model';
import { ObjectType } from '@nestjs/graphql';
import { FlagField, ListField, SchemaField, TextField } from '../contracts/fields.js';
import { AssignmentField } from './assignment.contract.js';
import { TopicPartition } from './settings.contract.js';

@ObjectType({ description: 'A partition that goes to another member.' })
export class HandedOver extends TopicPartition {
  @SchemaField('Who gets it; null: nobody could have it.', { type: ['string', 'null'] }, () => String)
  to!: string | null;
}

/** Whether a member may be stopped. */
@ObjectType({ description: 'Whether a member may be stopped.' })
export class DrainAnswer {
  @FlagField('Whether the member is draining.')
  draining!: boolean;

  @FlagField('Whether stopping it now interrupts nothing: it has nothing, and will get nothing.')
  safe!: boolean;

  @AssignmentField('What it still has, to work on or to give up.')
  holds!: AssignmentJson;

  @ListField(() => HandedOver, 'Where that goes, or would go if the member were drained now.')
  handsOver!: HandedOver[];

  @TextField('Why nobody can tell where it would go: the assignor failed.', { optional: true })
  assignorFault?: string;
}
