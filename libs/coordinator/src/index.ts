export type { Catalog, CatalogTopic } from './catalog/catalog.js';
export { LEFT_TEMPORARILY, consumerGroupState, isReconciled } from './consumer/consumer-group.js';
export type {
  ConsumerGroup,
  ConsumerGroupState,
  ConsumerMember,
  MemberState,
  OwnedPartitions,
  SubscribedTopic,
  Subscription,
} from './consumer/consumer-group.js';
export type { GroupSettings, GroupType } from './group-settings.js';
export type { ChangeCause, ChangeKind, GroupChange, MemberChange, Origin } from './history.js';
export type {
  ChangePage,
  DueGroup,
  GroupReading,
  GroupRef,
  GroupStep,
  GroupStore,
  GroupView,
  LeaseRenewal,
  StepResult,
  TransactOptions,
} from './ports/group-store.js';
export type { ChangeFeed } from './ports/change-feed.js';
export type {
  Broker,
  CatalogStore,
  Cluster,
  ClusterSettings,
  CoordinatorSelection,
  Page,
  PageRequest,
  PartitionDetail,
  Topic,
  TopicChange,
  WriteOptions,
  Written,
} from './ports/catalog-store.js';
