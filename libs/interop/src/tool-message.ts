import type { ImportedGroupState } from './import-result.js';

/** A message that Kafka's tools print beside their tables. */
export type ToolMessage =
  | {
      readonly type: 'group-state';
      readonly groupId: string;
      readonly state: ImportedGroupState;
      readonly detail: string;
    }
  | { readonly type: 'heading'; readonly role: 'current' | 'proposed'; readonly rest: string; readonly detail: string }
  | { readonly type: 'note'; readonly detail: string }
  | { readonly type: 'error'; readonly detail: string };

interface GroupPhrase {
  readonly end: string;
  readonly state: ImportedGroupState;
  readonly detail: string;
}

const GROUP_PHRASES: readonly GroupPhrase[] = [
  { end: "' has no active members.", state: 'empty', detail: 'The group has no active members: state Empty.' },
  { end: "' is rebalancing.", state: 'rebalancing', detail: 'The group is rebalancing: its rows may be outdated.' },
  { end: "' does not exist.", state: 'dead', detail: 'The group does not exist.' },
];
const GROUP_START = /^(?:Warning: |Error: )?(?:The )?[Cc]onsumer group '/;
const NOT_FOUND = /GroupIdNotFoundException: Group (.{1,2000}) not found\.?$/;

const HEADINGS = [
  ['Current partition replica assignment', 'current'],
  ['Proposed partition reassignment configuration', 'proposed'],
] as const;

const NOTES = [
  'Note: This will not show information about old Zookeeper-based consumers.',
  'Note: This will only show information about consumers that use',
  'Save this to use as the --reassignment-json-file option during rollback',
  'Successfully started partition reassignment',
  'Warning: You must run --verify periodically',
  'The inter-broker throttle limit was set to',
];

const ERRORS = ['Error: ', 'Error while executing ', 'Exception in thread '];

export function readToolMessage(line: string): ToolMessage | undefined {
  const text = line.trim();
  const group = readGroupMessage(text);
  if (group !== undefined) return group;
  for (const [heading, role] of HEADINGS) {
    if (!text.startsWith(heading)) continue;
    const rest = text.slice(heading.length).trim();
    return { type: 'heading', role, rest, detail: `Heading: the next JSON is the ${role} assignment.` };
  }
  if (NOTES.some((note) => text.startsWith(note))) return { type: 'note', detail: 'A note of the tool.' };
  const isError = ERRORS.some((start) => text.startsWith(start)) || /^Topic \S+ doesn't exist!$/.test(text);
  return isError ? { type: 'error', detail: 'An error that the tool reported.' } : undefined;
}

/** Whether a line begins a message about a group's state, so that its end may be in the next line. */
export function startsGroupMessage(line: string): boolean {
  return GROUP_START.test(line.trim());
}

function readGroupMessage(text: string): ToolMessage | undefined {
  const start = GROUP_START.exec(text);
  if (start !== null) {
    const phrase = GROUP_PHRASES.find(({ end }) => text.endsWith(end) && text.length >= start[0].length + end.length);
    if (phrase !== undefined) {
      const groupId = text.slice(start[0].length, text.length - phrase.end.length);
      return { type: 'group-state', groupId, state: phrase.state, detail: phrase.detail };
    }
  }
  const missing = text.includes('GroupIdNotFoundException') ? NOT_FOUND.exec(text) : null;
  if (missing === null) return undefined;
  return { type: 'group-state', groupId: missing[1]!, state: 'dead', detail: 'The group does not exist.' };
}
