import { AllotError } from '@allot/model';

/** GraphQL says null where REST says 404. */
export async function orNull<T>(reading: Promise<T>, ...codes: readonly string[]): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AllotError && codes.includes(error.code)) return null;
    throw error;
  }
}
