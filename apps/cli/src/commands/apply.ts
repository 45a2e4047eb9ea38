import { createInterface } from 'node:readline/promises';
import { AllotError, invalidRequest } from '@allot/model';
import { visible } from '@allot/planner';
import { Option, type Command } from 'commander';
import { withChanges, type ChangeOptions } from '../options/change-options.js';
import { pathOf, type ApiClient } from '../server/api-client.js';
import { clientOf, groupPath, withServer, type ServerOptions } from '../server/server-options.js';
import { remarkOn, requestOf, type StoredPlan } from '../server/stored-plan.js';
import { outputOption, type CommonOptions, type OutputFormat, type Session } from '../session.js';
import { EXIT, Interrupted, type Terminal } from '../terminal.js';
import { printPlan } from '../view/plan-view.js';
import type { Screen } from '../view/screen.js';

interface ApplyOptions extends CommonOptions, ServerOptions {
  readonly output: OutputFormat;
  readonly group?: string;
  readonly assignor?: string;
  readonly plan?: string;
  readonly rollbackTo?: string;
  readonly approve?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly reason?: string;
}

const EXAMPLES = [
  'allot apply --server http://127.0.0.1:3000 --group billing --plan 0b6c6f2e-8d5e-4d0e-9f0a-2f3c7f6f9c11',
  'allot apply --group billing --remove-member worker-7 --approve --yes --reason "worker-7 is being replaced"',
  'allot apply --group billing --rollback-to 41',
];

/** Carries out a plan: the one that was reviewed, or one made now and confirmed here. */
export function applyCommand(session: Session): Command {
  const command = session.command('apply', 'Apply a stored plan, or make one, confirm it and apply it', EXAMPLES);
  withServer(command, 'the server; ALLOT_SERVER does as well')
    .option('-g, --group <id>', 'the group')
    .option('--plan <id>', 'a stored plan; without it one is made from the options of changes')
    .option('--rollback-to <revision>', 'make a plan that leads back to what this revision was heading for')
    .option('--assignor <name>', 'switch to this assignor')
    .addOption(new Option('--approve', 'approve the plan as well, where the group lets its author do so'))
    .option('-y, --yes', 'apply without asking')
    .option('--dry-run', 'do every check and change nothing')
    .option('--reason <text>', 'why, for the history')
    .addOption(outputOption(['table', 'json']));
  const changes = withChanges(command, { onServer: true });
  return command.action(async (options: ApplyOptions) => {
    session.changes = changes;
    const screen = session.screen(options);
    const client = clientOf(session.terminal, options);
    const path = groupPath(options, options.group);
    const plan = await planToApply(client, path, options, changes);
    if (options.output === 'table')
      await printPlan(screen, plan.result, `Group ${plan.groupId}: plan ${plan.id} (${plan.status})`);
    await remarkOn(screen, plan);
    if (!plan.applicable) throw notApplicable(plan);
    if (options.dryRun !== true) await confirm(session, screen, plan, options);
    const applied = await carryOut(session, client, `${path}/plans/${encodeURIComponent(plan.id)}`, plan, options);
    if (options.output === 'json') await screen.printJson(applied);
    else await screen.print(describeOutcome(applied, options));
    if (options.dryRun === true && plan.result.diff.length > 0) session.exitCode = EXIT.changes;
  });
}

async function planToApply(
  client: ApiClient,
  path: string,
  options: ApplyOptions,
  changes: ChangeOptions,
): Promise<StoredPlan> {
  const { plan, rollbackTo, assignor } = options;
  const made = changes.changes.length > 0 || assignor !== undefined || rollbackTo !== undefined;
  if ((plan !== undefined) === made) {
    throw invalidRequest(
      'Say what to apply: a stored plan with --plan, or changes (or --rollback-to) from which one is made.',
    );
  }
  const request = plan === undefined ? undefined : client.get<StoredPlan>(path + pathOf`/plans/${plan}`);
  return (await (request ?? client.post<StoredPlan>(`${path}/plans`, requestOf(options, changes)))).value;
}

function notApplicable(plan: StoredPlan): AllotError {
  const [first] = plan.blockers;
  return new AllotError('PLAN_NOT_APPLICABLE', first?.message ?? 'The plan cannot be applied to this group.', {
    action: 'fix-request',
  });
}

async function confirm({ terminal }: Session, screen: Screen, plan: StoredPlan, { yes }: ApplyOptions): Promise<void> {
  if (yes === true) return;
  if (terminal.stdin.isTTY !== true) {
    throw invalidRequest(`Nobody is there to confirm: add --yes, or look at plan ${plan.id} first.`);
  }
  const question = `Apply this to group ${visible(plan.groupId)}? Type yes to go on: `;
  if ((await ask(terminal, question)).trim().toLowerCase() === 'yes') return;
  await screen.note('note', `plan ${plan.id} is kept; \`allot apply --plan ${plan.id}\` applies it.`);
  throw new AllotError('NOT_CONFIRMED', 'Nothing was applied.', { action: 'stop' });
}

/** One line from the keyboard; empty where it ends without one (Ctrl-D). @throws Interrupted by Ctrl-C. */
async function ask({ stdin, stderr, interruptible }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      const stop = () => reject(new Interrupted('Interrupted: nothing was applied.'));
      // A terminal in raw mode gives Ctrl-C to the line editor, any other input to the process.
      lines.once('SIGINT', stop);
      // An answer at the end of the input comes just before its end.
      lines.once('close', () => setImmediate(resolve, ''));
      lines.question(question, { signal: interruptible() }).then(resolve, stop);
    });
  } finally {
    lines.close();
  }
}

/** Approves where that was asked, then applies what was reviewed: If-Match is the revision that the plan rests on. */
async function carryOut(
  session: Session,
  client: ApiClient,
  path: string,
  plan: StoredPlan,
  { approve, dryRun, reason }: ApplyOptions,
): Promise<StoredPlan> {
  const headers = { 'If-Match': `"${plan.baseRevision}"` };
  const query = { reason, dryRun: dryRun === true ? 'true' : undefined };
  try {
    return await session.during('allot: applying', async () => {
      if (approve === true && plan.status === 'open') await client.post(`${path}/approve`, { headers, query });
      return (await client.post<StoredPlan>(`${path}/apply`, { headers, query })).value;
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new Interrupted(
      `Whether plan ${plan.id} was applied is not known; \`allot apply --plan ${plan.id}\` tells and does it no second time.`,
    );
  }
}

function describeOutcome({ id, groupId, applied }: StoredPlan, { dryRun }: ApplyOptions): string {
  if (dryRun === true) return `Plan ${id} could be applied to group ${visible(groupId)}; nothing was changed.\n`;
  return `Applied plan ${id}: group ${visible(groupId)} is at revision ${applied?.revision}.\n`;
}
