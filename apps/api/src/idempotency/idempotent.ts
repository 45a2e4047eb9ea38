import { SetMetadata } from '@nestjs/common';

export const IDEMPOTENT = Symbol('idempotent');

/** The operation takes Idempotency-Key; `Operation({ idempotent: true })` says so too. */
export const Idempotent = () => SetMetadata(IDEMPOTENT, true);
