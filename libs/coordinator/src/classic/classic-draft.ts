import type { AllotError } from '@allot/model';
import type { StepContext } from '../consumer/step.js';
import { catalogCause, subscribedTopicsOf } from '../consumer/subscriptions.js';
import type { ChangeCause, GroupChange } from '../history.js';
import type { ClassicGroup, ClassicMember } from './classic-group.js';
import { describeClassicChange } from './classic-change.js';
import { prepareRebalance } from './rebalance.js';

/** What a step comes to. Without a `change` the group is as it was; its `catalogRevision` may be newer. */
export interface ClassicTransition {
  readonly group: ClassicGroup;
  readonly change?: GroupChange;
  /** Members that were heard, or whose request waits here: their sessions start anew. */
  readonly renewed: readonly string[];
}

/**
 * What the one who asked is told. `answer`: what the state says now. `park`: nothing yet; the request waits for the state that answers
 * it. `error`: a refusal, which the step may go with (a group that is full lets go of the member that it refuses).
 */
export type Outcome = { readonly kind: 'answer' } | { readonly kind: 'park' } | Refusal;
export interface Refusal {
  readonly kind: 'error';
  readonly error: AllotError;
}

export const ANSWER: Outcome = { kind: 'answer' };
export const PARK: Outcome = { kind: 'park' };
export const refuse = (error: AllotError): Refusal => ({ kind: 'error', error });

export interface ClassicStep {
  readonly transition: ClassicTransition;
  readonly outcome: Outcome;
}

/** One step in the making. The first cause named is the one recorded. */
export class ClassicDraft {
  readonly context: StepContext;
  readonly #before: ClassicGroup | undefined;
  readonly #renewed = new Set<string>();
  #group: ClassicGroup;
  #cause: ChangeCause | undefined;

  constructor(before: ClassicGroup | undefined, created: ClassicGroup, context: StepContext) {
    this.#before = before;
    this.#group = created;
    this.context = context;
  }

  get group(): ClassicGroup {
    return this.#group;
  }

  /** The revision that the group has after this step, if the step changes it. */
  get nextRevision(): number {
    return this.#group.revision + 1;
  }

  /** Names why the step changes the group; later names do not replace the first. */
  because(cause: ChangeCause): void {
    this.#cause ??= cause;
  }

  /** Changes fields of the group; `undefined` takes an optional one away. */
  set(fields: { readonly [K in keyof ClassicGroup]?: ClassicGroup[K] | undefined }): void {
    const group: Record<string, unknown> = { ...this.#group, ...fields };
    for (const name of Object.keys(fields)) if (group[name] === undefined) delete group[name];
    this.#group = group as unknown as ClassicGroup;
  }

  setMember(member: ClassicMember): void {
    if (this.#group.members.get(member.memberId) === member) return;
    const members = new Map(this.#group.members).set(member.memberId, member);
    const nextJoinOrder = Math.max(this.#group.nextJoinOrder, member.joinOrder + 1);
    this.set({ members, nextJoinOrder });
  }

  /** Takes a member out, with all that it held. The next in order takes its lead, until a join phase elects another. */
  removeMember(memberId: string): void {
    const members = new Map(this.#group.members);
    if (!members.delete(memberId)) return;
    this.#renewed.delete(memberId);
    this.set({ members });
    if (this.#group.leader === memberId) this.set({ leader: firstInOrder(members.values())?.memberId });
  }

  renew(memberId: string): void {
    this.#renewed.add(memberId);
  }

  forgetPending(memberId: string): void {
    const pending = this.#group.pending.filter((each) => each.memberId !== memberId);
    if (pending.length < this.#group.pending.length) this.set({ pending });
  }

  /**
   * Looks at the newest catalog, which every step does first. A group whose generation was told other topics or partition counts than
   * there are now begins a rebalance at once (E-13).
   */
  lookAtCatalog(): void {
    const { catalog } = this.context;
    if (this.#group.catalogRevision === catalog.revision) return;
    this.set({ catalogRevision: catalog.revision });
    if (this.#group.phase !== 'STABLE' && this.#group.phase !== 'COMPLETING_REBALANCE') return;
    const cause = catalogCause(
      this.#group.subscribedTopics,
      subscribedTopicsOf(this.#group.members.values(), catalog, this.#group.subscribedTopics),
    );
    if (cause !== undefined) prepareRebalance(this, cause);
  }

  finish(): ClassicTransition {
    const renewed = [...this.#renewed];
    const before = this.#before;
    if (before !== undefined && sameGroup(before, this.#group)) {
      const { catalogRevision } = this.#group;
      const group = before.catalogRevision === catalogRevision ? before : { ...before, catalogRevision };
      return { group, renewed };
    }
    const group = { ...this.#group, revision: this.nextRevision };
    const { now, origin } = this.context;
    const cause = this.#cause ?? 'group-settings-changed';
    return { group, change: describeClassicChange(before, group, { cause, origin, now }), renewed };
  }
}

/** The member that joined first, of those that `counts`. */
export function firstInOrder(
  members: Iterable<ClassicMember>,
  counts: (member: ClassicMember) => boolean = () => true,
): ClassicMember | undefined {
  let first: ClassicMember | undefined;
  for (const member of members) if (counts(member) && !(first && first.joinOrder < member.joinOrder)) first = member;
  return first;
}

/** Whether two groups differ in nothing that a revision is made for. */
function sameGroup(a: ClassicGroup, b: ClassicGroup): boolean {
  return (
    a.settings === b.settings &&
    a.groupEpoch === b.groupEpoch &&
    a.assignmentEpoch === b.assignmentEpoch &&
    a.phase === b.phase &&
    a.protocol === b.protocol &&
    a.leader === b.leader &&
    a.timer === b.timer &&
    a.assignorFault === b.assignorFault &&
    a.pending === b.pending &&
    a.members === b.members
  );
}
