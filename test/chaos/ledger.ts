import { randomUUID } from 'node:crypto';
import type pg from 'pg';

interface Deed {
  readonly what: string;
  readonly member?: string;
  readonly partitions?: number;
  readonly assignor?: string;
}

interface GroupRow {
  readonly revision: string;
  readonly group_epoch: number;
  readonly changes: string;
  readonly oldest: string;
  readonly newest: string;
  readonly assignor: string;
  readonly members: readonly string[];
}

const BASE = '/v1/clusters/default';
const ASSIGNORS = ['range', 'sticky', 'uniform'];

/** Changes of one group and its topic, one after the other; knows which were acknowledged and which is in doubt. */
export class Ledger {
  acknowledged = 0;
  #members = new Set<string>();
  #gone = new Set<string>();
  #partitions = 8;
  #assignor = 'sticky';
  #revision = 0;
  #epoch = 0;
  /** What was under way when the replica died. */
  #doubt: Deed | undefined;

  constructor(
    private readonly random: () => number,
    private readonly client: pg.Client,
  ) {}

  async prepare(url: string): Promise<void> {
    await send(url, 'PUT', '/topics/t', { partitions: this.#partitions });
    await send(url, 'PUT', '/groups/g', { assignor: this.#assignor, sessionTimeoutMs: 600_000, maxSize: 10_000 });
  }

  /** Works until a request fails; that one is in doubt. */
  async workUntilItBreaks(url: string, sprung: Promise<void>): Promise<void> {
    let isSprung = false;
    void sprung.then(() => (isSprung = true));
    while (!isSprung) {
      const deed = this.#next();
      this.#doubt = deed;
      try {
        await this.#do(url, deed);
      } catch {
        return;
      }
      this.#note(deed);
      this.#doubt = undefined;
    }
  }

  #next(): Deed {
    const chance = this.random();
    const members = [...this.#members];
    if (chance < 0.45 || members.length === 0) return { what: 'join', member: randomUUID() };
    const member = members[Math.floor(this.random() * members.length)]!;
    if (chance < 0.65) return { what: 'leave', member };
    if (chance < 0.85) return { what: 'grow', partitions: this.#partitions + 1 };
    return { what: 'assignor', assignor: ASSIGNORS[Math.floor(this.random() * ASSIGNORS.length)]! };
  }

  async #do(url: string, { what, member, partitions, assignor }: Deed): Promise<void> {
    if (what === 'join') {
      const body = { memberEpoch: 0, subscription: { topics: ['t'] } };
      const answer = await send<{ revision: number; memberEpoch: number }>(
        url,
        'POST',
        `/groups/g/members/${member}/heartbeat`,
        body,
      );
      this.#revision = Math.max(this.#revision, answer.revision);
      this.#epoch = Math.max(this.#epoch, answer.memberEpoch);
    } else if (what === 'leave') await send(url, 'DELETE', `/groups/g/members/${member}`);
    else if (what === 'grow') await send(url, 'PUT', '/topics/t', { partitions });
    else await send(url, 'PUT', '/groups/g', { assignor });
  }

  #note({ what, member, partitions, assignor }: Deed): void {
    this.acknowledged++;
    if (what === 'join') this.#members.add(member!);
    if (what === 'leave') {
      this.#members.delete(member!);
      this.#gone.add(member!);
    }
    this.#partitions = partitions ?? this.#partitions;
    this.#assignor = assignor ?? this.#assignor;
  }

  /** What is not as it was acknowledged, asked of another replica and of the tables; then counts what was in doubt as it turned out. */
  async check(url: string): Promise<string[]> {
    // A request of the dead replica may be under the group's lock still: a change of the group waits for it.
    await send(url, 'POST', '/groups/g/members/witness/heartbeat', { memberEpoch: 0, subscription: { topics: ['t'] } });
    await send(url, 'DELETE', '/groups/g/members/witness');
    const group = await this.#read();
    const { partitions } = await send<{ partitions: number }>(url, 'GET', '/topics/t');
    this.#settleDoubt(group, partitions);
    const members = new Set(group.members);
    const faults: string[] = [];
    for (const member of this.#members)
      if (!members.has(member)) faults.push(`member ${member} joined and is not there`);
    for (const member of this.#gone) if (members.has(member)) faults.push(`member ${member} left and is there`);
    for (const member of members)
      if (!this.#members.has(member)) faults.push(`member ${member} is there and nobody asked for it`);
    if (partitions !== this.#partitions) faults.push(`the topic has ${partitions} partitions, not ${this.#partitions}`);
    if (group.assignor !== this.#assignor) faults.push(`the assignor is ${group.assignor}, not ${this.#assignor}`);
    if (Number(group.revision) < this.#revision)
      faults.push(`revision ${this.#revision} was told, it is at ${group.revision}`);
    if (group.group_epoch < this.#epoch) faults.push(`epoch ${this.#epoch} was told, it is at ${group.group_epoch}`);
    if (Number(group.newest) - Number(group.oldest) + 1 !== Number(group.changes)) faults.push('the history has a gap');
    if (group.newest !== group.revision)
      faults.push(`the history ends at ${group.newest}, the group at ${group.revision}`);
    this.#revision = Number(group.revision);
    this.#epoch = group.group_epoch;
    return faults;
  }

  #settleDoubt(group: GroupRow, partitions: number): void {
    const deed = this.#doubt;
    this.#doubt = undefined;
    if (deed === undefined) return;
    const happened = {
      join: () => group.members.includes(deed.member!),
      leave: () => !group.members.includes(deed.member!),
      grow: () => partitions === deed.partitions,
      assignor: () => group.assignor === deed.assignor,
    }[deed.what]!();
    if (happened) this.#note(deed);
  }

  async #read(): Promise<GroupRow> {
    const { rows } = await this.client.query<GroupRow>(`
      SELECT g.revision, g.group_epoch, g.settings -> 'assignors' ->> 0 AS assignor,
        (SELECT count(*) FROM group_changes WHERE group_pk = g.id) AS changes,
        (SELECT min(revision) FROM group_changes WHERE group_pk = g.id) AS oldest,
        (SELECT max(revision) FROM group_changes WHERE group_pk = g.id) AS newest,
        (SELECT coalesce(array_agg(member_id), '{}') FROM group_members WHERE group_pk = g.id) AS members
      FROM groups g WHERE g.cluster = 'default' AND g.group_id = 'g'`);
    return rows[0]!;
  }
}

async function send<T = unknown>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url + BASE + path, {
    method,
    signal: AbortSignal.timeout(10_000),
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
