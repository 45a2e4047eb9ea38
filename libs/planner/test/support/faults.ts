import { AllotError } from '@allot/model';

/** JSON pointers of what a call refuses; none when it answers. */
export function faults(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof AllotError) return error.errors.map(({ pointer }) => pointer);
    throw error;
  }
  return [];
}
