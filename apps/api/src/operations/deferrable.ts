import { SetMetadata } from '@nestjs/common';

export const DEFERRABLE = Symbol('deferrable');

/** The operation may be answered with 202 and carried out in the background; `Operation({ deferrable: true })` says so too. */
export const Deferrable = () => SetMetadata(DEFERRABLE, true);
