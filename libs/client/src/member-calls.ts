import { AllotClientError } from './errors.js';
import { partitionsToJson, type Partitions, type PartitionsJson } from './partitions.js';
import type { Service } from './service.js';

/** Of a request that is not repeated by the next heartbeat. */
const ATTEMPTS = 3;

export interface Subscription {
  readonly topics?: readonly string[];
  /** RE2 pattern, matched against whole topic names. */
  readonly pattern?: string;
}

/** What a member says of itself when it joins. */
export interface MemberDescription {
  readonly subscription: Subscription;
  /** Makes it a static member: it keeps its place over a restart. */
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly clientId?: string;
  /** Relative capacity, for assignors that look at it. */
  readonly weight?: number;
  /** How long it may take to give partitions up; the group's time when absent. */
  readonly rebalanceTimeoutMs?: number;
}

/** The answer to a join or a heartbeat, as far as a member reads it. */
export interface MemberAnswer {
  readonly memberEpoch: number;
  readonly state: string;
  readonly assignment?: PartitionsJson;
  readonly heartbeatIntervalMs: number;
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly validForMs: number;
  readonly revision: number;
}

export interface LeaseAnswer {
  readonly memberEpoch: number;
  readonly assignmentEpoch: number;
  readonly validForMs: number;
}

export interface OwnershipAnswer {
  readonly valid: boolean;
  readonly fenced: PartitionsJson;
  readonly reasons: readonly { readonly code: string; readonly partitions: PartitionsJson }[];
  readonly validForMs?: number;
}

/** The requests of one member. */
export class MemberCalls {
  readonly #group: string;
  /** Of the member. */
  readonly path: string;

  constructor(
    private readonly service: Service,
    group: string,
    private readonly memberId: string,
    /** For each attempt. */
    public timeoutMs: number,
  ) {
    this.#group = service.groupPath(group);
    this.path = `${this.#group}/members/${encodeURIComponent(memberId)}`;
  }

  /** Epoch 0 under an id of its own: sent again after a lost answer, it does not make a second member. */
  join(description: MemberDescription, revision: number, signal: AbortSignal): Promise<MemberAnswer> {
    return this.#post('heartbeat', { memberEpoch: 0, revision, ...description }, signal);
  }

  heartbeat(memberEpoch: number, owned: Partitions, revision: number, signal: AbortSignal): Promise<MemberAnswer> {
    return this.#post('heartbeat', { memberEpoch, owned: partitionsToJson(owned), revision }, signal);
  }

  answerLease(memberEpoch: number, token: string, signal: AbortSignal): Promise<LeaseAnswer> {
    return this.#post('lease', { memberEpoch, token }, signal);
  }

  /** Tries a few times. One whom the service does not know any more has left. */
  async leave(temporarily: boolean, onError: (error: AllotClientError) => void): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        if (temporarily) await this.#post('heartbeat', { memberEpoch: -2 }, undefined);
        else await this.service.call('DELETE', this.path, undefined, this.#options(undefined));
        return;
      } catch (error) {
        if (!(error instanceof AllotClientError && error.retriable)) return;
        onError(error);
      }
    }
  }

  /** Tries a few times, each with the next server: the question changes nothing, and a write waits for its answer. */
  async verify(memberEpoch: number, partitions: Partitions, signal?: AbortSignal): Promise<OwnershipAnswer> {
    const body = { memberId: this.memberId, memberEpoch, partitions: partitionsToJson(partitions) };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.service.call('POST', `${this.#group}/verify-ownership`, body, this.#options(signal));
      } catch (error) {
        const isPassing = error instanceof AllotClientError && error.retriable && signal?.aborted !== true;
        if (!isPassing || attempt === ATTEMPTS) throw error;
      }
    }
  }

  #post<T>(what: string, body: object, signal: AbortSignal | undefined): Promise<T> {
    return this.service.call('POST', `${this.path}/${what}`, body, this.#options(signal));
  }

  #options(signal: AbortSignal | undefined) {
    return { timeoutMs: this.timeoutMs, ...(signal !== undefined && { signal }) };
  }
}
