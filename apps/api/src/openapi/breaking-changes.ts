import { buildSchema, findBreakingChanges } from 'graphql';

/**
 * What a client of the released schema would miss or trip over in the current one, a sentence each. Both are SDL. Enums are text here and
 * open, so new values break nobody.
 */
export function breakingChanges(released: string, current: string): string[] {
  return findBreakingChanges(buildSchema(released), buildSchema(current)).map(({ description }) => description);
}
