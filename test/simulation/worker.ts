import { intersectAssignment, subtractAssignment, unionAssignment, type Assignment } from '@allot/model';
import type { HeartbeatCommand, MemberAnswer, Subscription } from '../../libs/coordinator/src/index.js';
import { NOTHING, Process } from './process.js';
import type { Reply, Request } from './replica.js';

interface Asked {
  readonly sentAt: number;
  readonly owned: Assignment | undefined;
  readonly subscription: Subscription;
  readonly joins: boolean;
}

/** A worker of a group of type consumer that follows docs/workers.md to the letter, whatever happens to it. */
export class Worker extends Process {
  #memberEpoch = 0;
  #revision = 0;
  #heartbeatMs = 1_000;
  #revoking: Assignment = NOTHING;
  #lingering = false;
  #announces = false;
  /** It has let go of something since the last answer, and says so until the next. */
  #letGo = false;

  protected makeId(life: number): string | undefined {
    return this.habits.takesId ? undefined : `${this.habits.name}.${life}`;
  }

  subscribe(subscription: Subscription): void {
    this.subscription = subscription;
    this.#announces = true;
  }

  protected reset(): void {
    this.#revision = 0;
  }

  protected override forget(): void {
    super.forget();
    this.#memberEpoch = 0;
    this.#revoking = NOTHING;
    this.#lingering = false;
  }

  protected beat(): void {
    if (this.isAsking) return;
    if (this.clock >= this.deadline && this.habits.whenTimeIsOver === 'drops' && this.held.size > 0) {
      this.held = NOTHING;
      this.#letGo = true;
    }
    const request = this.#request();
    const owned = request.kind === 'heartbeat' ? request.command.owned : undefined;
    const { subscription } = this;
    const joins = this.#memberEpoch === 0;
    this.ask(request, (reply, sentAt) => this.#follow(reply, { sentAt, owned, subscription, joins }));
  }

  #request(): Request {
    const { subscription, memberId } = this;
    const { instanceId, rebalanceTimeoutMs } = this.habits;
    const described = { rebalanceTimeoutMs, ...(instanceId !== undefined && { instanceId }) };
    if (memberId === undefined) return { kind: 'join', command: { ...described, subscription } };
    // Epoch 0 joins, also after an answer that brought no other: there is no target yet.
    const joins = this.#memberEpoch === 0;
    const silent = this.around.chance.happens(0.05) && !this.#letGo;
    const command: HeartbeatCommand = {
      ...{ ...described, memberId, memberEpoch: this.#memberEpoch, revision: this.#revision },
      ...(!joins && !silent && { owned: this.held }),
      ...((joins || this.#announces) && { subscription }),
    };
    return { kind: 'heartbeat', command };
  }

  #follow(reply: Reply, asked: Asked): void {
    if ('answer' in reply) return this.#take(reply.answer, asked);
    if (!('refused' in reply)) return;
    const { refused, action, retryAfterMs } = reply;
    this.note(refused);
    switch (action) {
      case 'rejoin':
        if (asked.joins) return this.around.fail(new Error(`${this.habits.name} cannot get in: ${refused}`));
        this.forget();
        return this.beatIn(this.around.chance.between(1, 200));
      case 'retry':
        return this.beatIn(retryAfterMs);
      case 'stop':
        return this.stop();
      default:
        this.around.fail(new Error(`${this.habits.name} is told to ${action}: ${refused}`));
    }
  }

  #take(answer: MemberAnswer, { sentAt, owned, subscription }: Asked): void {
    const { chance } = this.around;
    const { memberId, memberEpoch, revision, revoking } = answer;
    const told = answer.assignment ?? owned ?? NOTHING;
    this.workUntil(answer, sentAt);
    this.memberId = memberId;
    this.#memberEpoch = memberEpoch;
    this.#revision = revision;
    this.#heartbeatMs = answer.heartbeatIntervalMs;
    // Unless it has changed since.
    if (subscription === this.subscription) this.#announces = false;
    this.#letGo = false;
    this.#revoking = revoking;
    const toDrop = intersectAssignment(this.held, revoking);
    const mustDrop = toDrop.size > 0 && !this.#lingering;
    if (mustDrop && chance.happens(this.habits.lingers)) this.#linger();
    this.held = this.#lingering ? unionAssignment(told, toDrop) : told;
    this.believe({ memberId, memberEpoch, revision, held: this.held });
    this.note(`${memberEpoch} ${answer.state} ${revision}`);
    this.beatIn(mustDrop && !this.#lingering ? chance.between(1, 50) : this.#heartbeatMs);
  }

  #linger(): void {
    this.#lingering = true;
    this.later(this.around.chance.between(100, 4_000), () => {
      if (!this.#lingering) return;
      this.#lingering = false;
      this.held = subtractAssignment(this.held, this.#revoking);
      this.#letGo = true;
      this.beatIn(1);
    });
  }
}
