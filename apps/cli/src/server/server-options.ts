import { invalidRequest } from '@allot/model';
import { Option, type Command } from 'commander';
import type { Terminal } from '../terminal.js';
import { ApiClient, pathOf } from './api-client.js';

export interface ServerOptions {
  readonly server?: string;
  readonly key?: string;
  readonly cluster: string;
}

/** The options that say which server, as whom, and which cluster of it. */
export function withServer(command: Command, what: string): Command {
  return command
    .addOption(new Option('--server <url>', what))
    .addOption(new Option('--key <key>', 'the API key; better in ALLOT_KEY, since others can see command lines'))
    .addOption(new Option('--cluster <name>', 'the cluster on the server').default('default'));
}

/** A client where a server is named; `ALLOT_SERVER` counts for commands that can do nothing without one. */
export function clientOf(terminal: Terminal, { server, key }: ServerOptions): ApiClient {
  const url = server ?? terminal.env['ALLOT_SERVER'];
  if (!url) throw invalidRequest('Say which server: --server http://127.0.0.1:3000, or ALLOT_SERVER.');
  return new ApiClient(url, key ?? (terminal.env['ALLOT_KEY'] || undefined), terminal);
}

/** The path of a group. @throws AllotError when none was named. */
export function groupPath({ cluster }: ServerOptions, group: string | undefined): string {
  if (group === undefined) throw invalidRequest('Say which group: --group billing.');
  return pathOf`/v1/clusters/${cluster}/groups/${group}`;
}
