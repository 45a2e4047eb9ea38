export { chooseDataFolder } from './embedded/data-folder.js';
export type { DataFolder, DataFolderChoice } from './embedded/data-folder.js';
export { EmbeddedPostgres } from './embedded/embedded-postgres.js';
export type { EmbeddedPostgresOptions } from './embedded/embedded-postgres.js';
export { EmbeddedPostgresError } from './embedded/embedded-postgres-error.js';
export { MigrationError, migrate } from './migrations/migrate.js';
export type { MigrateOptions } from './migrations/migrate.js';
