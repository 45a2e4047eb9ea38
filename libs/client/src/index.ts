export { MACHINE } from './environment.js';
export type { Environment } from './environment.js';
export { AllotClientError } from './errors.js';
export type { ErrorAction } from './errors.js';
export { createMember, Member } from './member.js';
export type { MemberOptions, StopOptions } from './member-options.js';
export type { MemberDescription, OwnershipAnswer, Subscription } from './member-calls.js';
export type {
  AssignedEvent,
  FencedEvent,
  LostEvent,
  MemberEvents,
  RevokedEvent,
  WarningEvent,
} from './member-events.js';
export { forEachPartition } from './partition-work.js';
export type { Work } from './partition-work.js';
export { listPartitions, partitionsOf } from './partitions.js';
export type { Partitions, TopicPartition } from './partitions.js';
export type { ServiceOptions } from './service.js';
export { SseParser } from './sse-parser.js';
export type { ServerEvent } from './sse-parser.js';
export { stopOnSignals } from './stop-on-signals.js';
export type { SignalSource } from './stop-on-signals.js';
export { watchGroup } from './watch-group.js';
export type { GroupEvent, WatchOptions } from './watch-group.js';
