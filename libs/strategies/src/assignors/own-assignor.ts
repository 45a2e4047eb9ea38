import type { AssignmentJson, MemberSpec, TopicSpec } from '@allot/model';

/**
 * What the default export of a module with an assignor of one's own must be (docs/strategies/own-assignors.md). The service
 * makes an `Assignor` of it. Everything is plain JSON, because module and service are different processes.
 */
export interface OwnAssignor {
  /** How groups and plans name it: lower-case letters, digits, `.` and `-`; not the name of an assignor that Allot has. */
  readonly name: string;
  /** One or two sentences for a person who chooses. */
  readonly summary: string;
  /** Whether the answer depends on what members own already. */
  readonly sticky: boolean;
  /**
   * Member id -> topic -> partition numbers: every member has an entry, every partition of a subscribed topic one owner, and
   * that one subscribes to it. Pure and synchronous: the same group must always get the same answer.
   */
  assign(group: GroupJson): Readonly<Record<string, AssignmentJson>>;
}

/** A `GroupSpec` in JSON. Members come in the order in which they joined. */
export interface GroupJson {
  readonly topics: readonly TopicSpec[];
  readonly members: readonly MemberJson[];
}

/** A `MemberSpec` in JSON. */
export interface MemberJson extends Omit<MemberSpec, 'owned' | 'streams'> {
  readonly owned?: AssignmentJson;
  readonly streams?: number | Readonly<Record<string, number>>;
}
