import { visible } from '@allot/planner';
import { Option, type Command } from 'commander';
import { wholeNumber } from '../options/change-options.js';
import { pathOf } from '../server/api-client.js';
import { followEvents, type FollowedEvent } from '../server/follow-events.js';
import { clientOf, groupPath, withServer, type ServerOptions } from '../server/server-options.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import { count } from '../view/plan-view.js';
import type { Screen } from '../view/screen.js';

interface WatchOptions extends CommonOptions, ServerOptions {
  readonly output: OutputFormat;
  readonly group?: string;
  readonly member?: string;
  readonly since?: string;
  readonly events?: number;
}

const EXAMPLES = [
  'allot watch --server http://127.0.0.1:3000 --group billing',
  'allot watch --server http://127.0.0.1:3000 --group billing --member worker-1 --output json | jq .event',
  'allot watch --group billing --since 41 --events 10',
];

/** What happens to a group, as it happens, until Ctrl-C or the group's end. */
export function watchCommand(session: Session): Command {
  const command = session.command('watch', "A group's changes as they happen", EXAMPLES);
  return withServer(command, 'the server; ALLOT_SERVER does as well')
    .option('-g, --group <id>', 'the group')
    .option('--member <id>', 'only what concerns this member')
    .option('--since <revision>', 'what is newer than this revision, instead of a snapshot first')
    .addOption(new Option('--events <count>', 'end after so many events').argParser(wholeNumber))
    .addOption(outputOption(['table', 'json']))
    .action(async (options: WatchOptions) => {
      const screen = session.screen(options);
      const { group, member, since, events = Infinity, output } = options;
      const client = clientOf(session.terminal, options);
      const path = groupPath(options, group) + (member === undefined ? '/events' : pathOf`/members/${member}/events`);
      const stream = followEvents(client, path, {
        ...(since !== undefined && { since }),
        signal: session.terminal.interruptible(),
        random: session.terminal.random,
        onWait: (why, wait) => screen.note('note', `${why}; connecting again in ${(wait / 1_000).toFixed(1)} s.`),
      });
      let seen = 0;
      if (events === 0) return;
      for await (const event of stream) {
        await screen.print(output === 'json' ? `${JSON.stringify(event)}\n` : lineOf(screen, event));
        if (++seen >= events) return;
      }
    });
}

/** An event on one line: revision, kind, why, who, whom it concerns. */
function lineOf(screen: Screen, { event, id, data }: FollowedEvent): string {
  const { at, cause, actor, reason, state, members } = data as Record<string, unknown>;
  const said = [
    at,
    cause ?? state,
    actor === undefined ? undefined : `by ${actor as string}`,
    reason === undefined ? undefined : `because ${reason as string}`,
  ];
  const list = Array.isArray(members) ? (members as { memberId: string; removed?: true }[]) : [];
  const named = list.slice(0, 5).map(({ memberId, removed }) => (removed === true ? `${memberId} left` : memberId));
  const more = list.length > 5 ? ` and ${list.length - 5} more` : '';
  const concerned = list.length === 0 ? '' : `${count(list.length, 'member')}: ${named.join(', ')}${more}`;
  const words = [...said, concerned].filter((word) => word !== undefined && word !== '').map(String);
  return `${screen.paint('dim', id.padStart(6))}  ${screen.paint('bold', event.padEnd(20))}  ${visible(words.join('  '))}\n`;
}
