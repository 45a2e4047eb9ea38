import { complainAboutEach, complainAboutName, rule, show } from '../validation/rules.js';

export const DAY_MS = 86_400_000;
const MOST_ASSIGNORS = 20;

/** One name of an assignor, or a list of them. */
export function AssignorNames(): PropertyDecorator {
  return rule({
    name: 'assignorNames',
    complain: (value) => {
      if (typeof value === 'string') return complainAboutName(value);
      if (!Array.isArray(value)) return `must be the name of an assignor or a list of names, not ${show(value)}`;
      if (value.length === 0 || value.length > MOST_ASSIGNORS) return `must have 1 to ${MOST_ASSIGNORS} names`;
      return complainAboutEach(value, complainAboutName);
    },
  });
}
