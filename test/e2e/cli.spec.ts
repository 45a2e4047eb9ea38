import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Json, type Replica } from '../../apps/api/test/support/service.js';
import { runAllot } from '../support/command-line.js';

/** Kafka's own tools printed these (libs/interop/test/record): three grammars of the members view, one without topics. */
const VERSIONS = ['3.7.2', '3.9.0', '4.0.0', '4.4.0'];
const FOLDER = new URL('../../libs/interop/test/fixtures/recorded/', import.meta.url);
const fixture = (version: string, name: string) => readFileSync(new URL(`${version}/${name}.txt`, FOLDER), 'utf8');
/** Each step is a process of its own, and machines are shared. */
const PATIENCE_MS = 180_000;
const pasteOf = (version: string) =>
  ['topics', 'offsets', 'members-verbose', 'state'].map((name) => fixture(version, name)).join('\n');

describe.each(VERSIONS)('H-01 H-04 H-09: what the tools of Kafka %s print, from paste to applied plan', (version) => {
  let replica: Replica;
  let stop: () => Promise<void>;
  let server: readonly string[];
  const paste = pasteOf(version);
  const group = ['--group', 'billing'];

  beforeAll(async () => {
    const started = await startReplicas(1);
    replica = started.replicas[0]!;
    stop = started.stop;
    server = ['--server', replica.url];
  });
  afterAll(() => stop());

  it(
    'by command line; offline and on a server the plan is the same',
    async () => {
      const change = ['--add-member', 'billing-3', '--remove-member', memberOf(paste, 'billing', /rack-a-2/)];
      const offline = await runAllot(['plan', ...group, ...change, '-o', 'json'], { input: paste });
      expect([offline.code, offline.err]).toEqual([2, expect.not.stringContaining('assumed')]);

      const imported = await runAllot(['import', ...server, '--strict'], { input: paste });
      expect([imported.code, imported.out]).toEqual([0, expect.stringMatching(/group +billing +created +2 +14/)]);

      const planned = await runAllot(['plan', ...server, ...group, ...change, '-o', 'json']);
      expect([planned.code, planned.err]).toEqual([2, expect.stringContaining('is open; it rests on revision')]);
      const stored = JSON.parse(planned.out) as Json;
      const { current, target, diff, assignor } = JSON.parse(offline.out) as Json;
      expect(stored.result).toMatchObject({ current, target, diff, assignor });
      expect(stored.applicable).toBe(true);

      const reviewed = await runAllot(['explain', ...server, ...group, '--plan', stored.id, '--member', 'billing-3']);
      expect([reviewed.code, reviewed.out]).toEqual([0, expect.stringContaining('billing-3 joins and gets')]);

      const alone = await runAllot(['apply', ...server, ...group, '--plan', stored.id]);
      expect([alone.code, alone.err]).toEqual([1, expect.stringContaining('Nobody is there to confirm: add --yes')]);
      const applied = await runAllot(['apply', ...server, ...group, '--plan', stored.id, '--approve', '--yes']);
      expect([applied.code, applied.out]).toEqual([0, expect.stringContaining(`Applied plan ${stored.id}`)]);

      const path = '/v1/clusters/default/groups/billing/assignment?view=byMember';
      const now = await replica.call('GET', path);
      const targets = Object.fromEntries(Object.keys(now.members).map((id) => [id, now.members[id].target]));
      expect(targets).toEqual(target);
    },
    PATIENCE_MS,
  );

  it(
    'by REST, with a plan that has become stale on the way',
    async () => {
      const headers = { 'content-type': 'text/plain' };
      await replica.call('POST', '/v1/clusters/default/imports', paste, 200, headers);
      const plans = '/v1/clusters/default/groups/shipping/plans';
      const stale = await replica.call('POST', plans, { changes: [{ removeMembers: 1 }] }, 201);
      await replica.call('POST', '/v1/clusters/default/imports', paste, 200, headers);
      const late = await runAllot(['apply', ...server, '--group', 'shipping', '--plan', stale.id, '--yes']);
      expect([late.code, late.err]).toEqual([1, expect.stringContaining('[STALE_PLAN]')]);

      const plan = await replica.call('POST', plans, { changes: [{ removeMembers: 1 }] }, 201);
      await replica.call('POST', `${plans}/${plan.id}/approve`, undefined, 200);
      const applied = await replica.call('POST', `${plans}/${plan.id}/apply`, undefined, 200, {
        'if-match': `"${plan.baseRevision}"`,
      });
      expect(applied.status).toBe('applied');
    },
    PATIENCE_MS,
  );
});

/** The id of the member of a group whose line matches. */
function memberOf(paste: string, group: string, pattern: RegExp): string {
  const line = paste
    .split('\n')
    .find((text) => text.startsWith(`${group} `) && pattern.test(text) && /#|\d+ +(?:orders|\(|-)/.test(text));
  const id = /((?:billing 1|rack-a-2)-\S+)/.exec(line!)?.[1];
  return id!;
}
