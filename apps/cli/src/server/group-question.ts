import { invalidRequest } from '@allot/model';
import type { ChangeOptions } from '../options/change-options.js';
import type { InlineOptions } from '../input/inline-group.js';
import type { Session } from '../session.js';
import { clientOf, groupPath, type ServerOptions } from './server-options.js';

/** Refuses what only a text needs: on a server the group, and what it is made of, are its own. */
export function refuseFactsOfText(
  files: readonly string[],
  { kafkaVersion, protocol }: Pick<InlineOptions, 'kafkaVersion' | 'protocol'>,
  { brokerRacks }: ChangeOptions,
): void {
  if (files.length > 0) {
    throw invalidRequest(
      'With --server the group is the one stored there; `allot import --server` brings a text there.',
    );
  }
  if (kafkaVersion !== undefined || protocol !== undefined || brokerRacks.size > 0) {
    throw invalidRequest(
      '--kafka-version, --protocol and --broker-rack are facts of a text; on a server the group has its own.',
    );
  }
}

/** The changes, with the assignor last, so that the places of the others are those of the options. */
export function changesOf({ changes }: ChangeOptions, assignor: string | undefined): readonly unknown[] {
  return [...changes, ...(assignor === undefined ? [] : [{ assignor }])];
}

/** Asks the server about a group that is stored there, as it is there; nothing is kept. */
export async function askAboutGroup<T>(
  session: Session,
  options: ServerOptions & InlineOptions,
  question: string,
  body: object,
  label: string,
): Promise<T> {
  const path = `${groupPath(options, options.group)}/${question}`;
  const client = clientOf(session.terminal, options);
  const { value } = await session.during(label, () => client.post<T>(path, { body }));
  return value;
}
