import {
  Database,
  openDatabase,
  PostgresChangeFeed,
  PostgresProbe,
  PrismaCatalogStore,
  PrismaDashboardReadModel,
  PrismaGroupHistory,
  PrismaGroupReadModel,
  PrismaGroupStore,
  PrismaIdempotencyStore,
  PrismaOperationStore,
  PrismaPlanStore,
  PrismaStreamLeases,
  type DatabaseOptions,
} from '@allot/persistence';
import type { AppPorts } from './ports.js';

/** The ports of a running service, all on one database. */
export interface PostgresPorts {
  readonly ports: AppPorts;
  readonly database: Database;
  /** Sends what was promised, then closes every connection. */
  close(): Promise<void>;
}

/** Opens lazily: the first statement connects. */
export function openPostgresPorts(url: string, options: DatabaseOptions & PostgresPortOptions = {}): PostgresPorts {
  const { onListenerLost, ...databaseOptions } = options;
  const database = openDatabase(url, databaseOptions);
  const groups = new PrismaGroupStore(database);
  const feed = new PostgresChangeFeed(database, onListenerLost === undefined ? {} : { onError: onListenerLost });
  return {
    database,
    ports: {
      catalog: new PrismaCatalogStore(database),
      groups,
      streamLeases: new PrismaStreamLeases(database),
      groupReads: new PrismaGroupReadModel(database),
      dashboard: new PrismaDashboardReadModel(database),
      history: new PrismaGroupHistory(database),
      plans: new PrismaPlanStore(database),
      idempotency: new PrismaIdempotencyStore(database),
      operations: new PrismaOperationStore(database),
      database: new PostgresProbe(database),
      feed,
    },
    close: async () => {
      await feed.close();
      await groups.drain();
      await database.close();
    },
  };
}

export interface PostgresPortOptions {
  /** Told why the connection that listens for changes was lost; it is opened again by itself. */
  readonly onListenerLost?: (error: Error) => void;
}
