import type * as coordinator from '@allot/coordinator';
import { ObjectType } from '@nestjs/graphql';
import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { FlagField, IntField, SafeIntField, TextField } from '../contracts/fields.js';
import { LIMITS } from '../config/limits.js';
import { connectionOf } from '../paging/connection.js';
import { type ListKind, pageOf } from '../paging/page.js';
import { Absent, Flag, Name } from '../validation/rules.js';

@ObjectType({ description: 'A broker of a cluster.' })
@ApiSchema({ description: 'A broker of a cluster.' })
export class Broker {
  @IntField('broker.id', { example: 1 })
  id!: number;

  @TextField('broker.rack', { optional: true, example: 'eu-west-1a' })
  rack?: string;

  @FlagField('A fenced broker leads no partition and gets no new replicas.', { example: false })
  fenced!: boolean;

  @SafeIntField('Changes with the broker; the ETag.', { example: 1 })
  revision!: number;
}

/** What a client may set of a broker; what is absent stays. */
export class BrokerChange {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: LIMITS.nameLength,
    description: 'broker.rack; null takes it away.',
  })
  @ValidateIf((_broker, value) => value !== undefined && value !== null)
  @Name()
  rack?: string | null;

  @ApiPropertyOptional({ type: 'boolean', description: 'false at first.' })
  @Absent()
  @Flag()
  fenced?: boolean;
}

export class BrokerPage extends pageOf(Broker) {}

@ObjectType()
export class BrokerConnection extends connectionOf('Broker', () => Broker) {}

export const BROKERS: ListKind<coordinator.Broker, number> = {
  kind: 'brokers',
  keyType: 'number',
  keyOf: (broker) => broker.id,
};

export function showBroker({ id, rack, fenced, revision }: coordinator.Broker): Broker {
  return { id, ...(rack === undefined ? {} : { rack }), fenced, revision };
}
