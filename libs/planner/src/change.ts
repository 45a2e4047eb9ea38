import type { Pin } from '@allot/strategies';
import type { BrokerSpec, ReplicatedTopic } from './brokers.js';

/** An assignor by name, or a list in order of preference as consumers configure it; then the first known one decides. */
export type AssignorChoice = string | readonly string[];

/** A member that a change adds. What is absent follows the rule of `AddMembers`. */
export interface NewMember {
  readonly id: string;
  readonly topics?: readonly string[];
  readonly instanceId?: string;
  readonly rack?: string;
  readonly weight?: number;
}

/**
 * Adds members: so many, or these. Without `topics` a new member subscribes like most members of the group do (the earlier
 * list where two are equally common), in an empty group to every topic. Generated ids continue a common numbering (`c1`, `c2` -> `c3`), else
 * they are `new-1`, `new-2`; where all members are static, so is a generated one. Kafka orders members by id, so give the
 * real ids where you know them.
 */
export interface AddMembers {
  readonly addMembers: number | readonly (string | NewMember)[];
  readonly topics?: readonly string[];
  readonly rack?: string;
}

/** Removes these members, or so many from the end of the list. */
export interface RemoveMembers {
  readonly removeMembers: number | readonly string[];
}

/** Changes one member; what is absent stays. `rack: null` forgets the rack. */
export interface ChangeMember {
  readonly member: string;
  readonly topics?: readonly string[];
  readonly rack?: string | null;
  readonly weight?: number;
}

/**
 * Gives an existing topic another partition count. Kafka topics only grow; `recreate` says that the topic is deleted and
 * created again, which also may shrink it. `racks` (or `replicas`, broker ids) and `weights` are for all partitions; without
 * them the new partitions of a topic that has them get no racks and the mean weight.
 */
export interface ChangeTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly racks?: readonly (readonly string[])[];
  readonly replicas?: readonly (readonly number[])[];
  readonly weights?: readonly number[];
  readonly recreate?: boolean;
}

export interface AddTopic {
  readonly addTopic: ReplicatedTopic;
}

export interface RemoveTopic {
  readonly removeTopic: string;
}

export interface ChangeAssignor {
  readonly assignor: AssignorChoice;
}

/** Gives the group these pins instead of those that it has; none: it has none any more. */
export interface ChangePins {
  readonly pins: readonly Pin[];
}

/** Brokers come, without replicas; a topic's `replicas` say where those go then. */
export interface AddBrokers {
  readonly addBrokers: readonly BrokerSpec[];
}

/** Brokers go for good, and their replicas with them. */
export interface RemoveBrokers {
  readonly removeBrokers: readonly number[];
}

/** A broker is in another rack; null: in none. */
export interface ChangeBroker {
  readonly broker: number;
  readonly rack: string | null;
}

/** One step of a what-if. The key that names the step tells the kinds apart. */
export type Change =
  | AddMembers
  | RemoveMembers
  | ChangeMember
  | ChangeTopic
  | AddTopic
  | RemoveTopic
  | ChangeAssignor
  | ChangePins
  | AddBrokers
  | RemoveBrokers
  | ChangeBroker;

/** Whether a change is about the cluster's brokers. */
export function isBrokerChange(change: object): change is AddBrokers | RemoveBrokers | ChangeBroker {
  return 'addBrokers' in change || 'removeBrokers' in change || 'broker' in change;
}
