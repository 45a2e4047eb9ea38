import type { TopicSpec } from '@allot/model';

/** A topic of a cluster as groups see it. `id` is set always: a topic that is deleted and made again is another topic. */
export interface CatalogTopic extends TopicSpec {
  readonly id: string;
}

/**
 * The topics of one cluster at one moment. `revision` rises with every change of a topic or of a broker's rack, so that a
 * group can tell by one number whether it has looked at this catalog.
 */
export interface Catalog {
  readonly revision: number;
  readonly topics: ReadonlyMap<string, CatalogTopic>;
}
