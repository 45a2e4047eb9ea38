import { assignorNames } from '@allot/strategies';
import { isBrokerChange } from '@allot/planner';
import { Option, type Command } from 'commander';
import type { ChangeOptions } from '../options/change-options.js';
import { withChanges } from '../options/change-options.js';
import { suggesting } from '../options/suggestions.js';
import type { Session } from '../session.js';
import type { Screen } from '../view/screen.js';
import { readGroupBody } from './group-body.js';
import { readSources } from './read-text.js';

/** The options that say which group, and what of it the text does not say. */
export interface InlineOptions {
  readonly group?: string;
  readonly assignor?: string;
  readonly kafkaVersion?: string;
  readonly protocol?: string;
}

/** A command that takes a group from files or stdin, and changes from its options. */
export function takesGroup(command: Command, session: Session): ChangeOptions {
  command
    .argument('[files...]', "what Kafka's tools printed, or JSON as the REST API takes it; - or nothing is stdin")
    .option('-g, --group <id>', 'the group, where the text describes several')
    .addOption(
      suggesting(new Option('--assignor <name>', 'the assignor from now on, by its name or class'), assignorNames()),
    )
    .option('--kafka-version <version>', 'the Kafka version whose rule is wanted, 3.9 or 4.0.0')
    .addOption(
      new Option(
        '--protocol <name>',
        'how members take it up; what Kafka uses with the assignor where not given',
      ).choices(['eager', 'cooperative', 'consumer']),
    );
  const changes = withChanges(command);
  command.hook('preAction', () => void (session.changes = changes));
  return changes;
}

export interface InlineGroup {
  readonly groupId: string | undefined;
  /** As the REST API takes it; what the options say is in it, changes under the name that is asked for. */
  readonly body: Record<string, unknown>;
}

/** Reads the group and says on stderr what a person should know of it. */
export async function readInlineGroup(
  session: Session,
  screen: Screen,
  files: readonly string[],
  options: InlineOptions,
  changes: ChangeOptions,
  listName: 'changes' | 'steps' = 'changes',
): Promise<InlineGroup> {
  const source = await readSources(files, screen);
  const { group, assignor, kafkaVersion, protocol } = options;
  const { groupId, body, remarks } = await session.during('allot: reading', () =>
    readGroupBody(source, {
      ...(group !== undefined && { group }),
      ...(assignor !== undefined && { assignor }),
      brokerRacks: changes.brokerRacks,
      brokersChange: changes.changes.some((change) => isBrokerChange(change as object)),
    }),
  );
  for (const { kind, text } of remarks) await screen.note(kind, text);
  const given = listOf(body[listName]);
  // A simulation has no changes: what switches the assignor is its first step.
  const switched = listName === 'steps' ? listOf(body['changes']) : [];
  const before = [...given, ...switched];
  changes.offset = before.length;
  const { changes: _, ...rest } = body;
  return {
    groupId,
    body: {
      ...(listName === 'steps' ? rest : body),
      ...(kafkaVersion !== undefined && { kafkaVersion }),
      ...(protocol !== undefined && { protocol }),
      ...(before.length + changes.changes.length > 0 && { [listName]: [...before, ...changes.changes] }),
    },
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
