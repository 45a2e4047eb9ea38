import { rule, show } from '../validation/rules.js';

/** A key in JSON: text, or a number for the numeric encodings. */
export function KeyText({ orNull }: { readonly orNull: boolean }): PropertyDecorator {
  return rule({
    name: 'key',
    complain: (value) => (orNull && value === null ? undefined : complainAboutKey(value)),
  });
}

export function complainAboutKey(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number'
    ? undefined
    : `must be text, or a number for a numeric encoding, not ${show(value)}`;
}
