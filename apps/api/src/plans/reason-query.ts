import { PickType } from '@nestjs/swagger';
import { MutationQuery } from '../http/mutation.js';

/** For mutations that change nothing but what they make, and need no dry run. */
export class ReasonQuery extends PickType(MutationQuery, ['reason'] as const) {}
