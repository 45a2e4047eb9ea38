import type { WriteOptions } from '@allot/coordinator';
import { AllotError } from '@allot/model';
import { ArgsType, Field } from '@nestjs/graphql';
import { LIMITS } from '../config/limits.js';
import { Flag, FreeText, Integer, Name, Nullable } from '../validation/rules.js';
import { ClusterArgs } from './cluster-args.js';
import { SafeInt } from './safe-int.js';

/** The arguments of every mutation. */
@ArgsType()
export class MutationArgs extends ClusterArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Do every check, change nothing.' })
  @Flag()
  dryRun: boolean = false;

  @Field(() => String, { nullable: true, description: 'Why; goes into the history.' })
  @Nullable()
  @FreeText(LIMITS.reasonLength)
  reason?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The same key with the same arguments is answered from the first time, for 24 hours.',
  })
  @Nullable()
  @Name(LIMITS.nameLength)
  idempotencyKey?: string | null;
}

/** Of those that change what has a revision. */
@ArgsType()
export class WriteArgs extends MutationArgs {
  @Field(() => SafeInt, { nullable: true, description: 'The revision that was read; another one is a conflict.' })
  @Nullable()
  @Integer(0, Number.MAX_SAFE_INTEGER)
  ifRevision?: number | null;
}

/** Of those that destroy: they name the revision, or insist. */
@ArgsType()
export class DeleteArgs extends WriteArgs {
  @Field(() => Boolean, { defaultValue: false, description: 'Instead of `ifRevision`: whatever revision is there.' })
  @Flag()
  force: boolean = false;
}

export function writeOptionsOf({ ifRevision, dryRun }: Pick<WriteArgs, 'ifRevision' | 'dryRun'>): WriteOptions {
  return {
    ...(ifRevision !== undefined && ifRevision !== null && { ifRevision }),
    ...(dryRun && { dryRun }),
  };
}

/** @throws AllotError PRECONDITION_REQUIRED when neither a revision nor `force` is there. */
export function deleteOptionsOf(args: Pick<DeleteArgs, 'ifRevision' | 'dryRun' | 'force'>): WriteOptions {
  const options = writeOptionsOf(args);
  if (options.ifRevision !== undefined || args.force) return options;
  throw new AllotError(
    'PRECONDITION_REQUIRED',
    'Give `ifRevision` with the revision that you read, so that nothing newer is lost, or `force: true` to insist.',
    { action: 'refresh' },
  );
}
