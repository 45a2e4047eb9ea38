import type { Option } from 'commander';

/** What a shell may offer for an option's value: these words, or names of files. */
export type Suggestions = readonly string[] | 'files';

const suggestions = new WeakMap<Option, Suggestions>();

/** An option whose values the completion scripts know, although others are legal. */
export function suggesting(option: Option, values: Suggestions): Option {
  suggestions.set(option, values);
  return option;
}

export function suggestionsFor(option: Option): Suggestions {
  return suggestions.get(option) ?? option.argChoices ?? [];
}
