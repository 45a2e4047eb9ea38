import { Prisma } from '../generated/client.js';

/** The database's clock in whole ms since 1970, so that what is computed from it survives a round trip exactly. */
export const NOW_MS = Prisma.sql`floor(extract(epoch FROM clock_timestamp()) * 1000)::float8`;

/** A timestamptz as ms since 1970. `column` is SQL, never user input. */
export function toMs(column: string): Prisma.Sql {
  return Prisma.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);
}

/** Ms since 1970 as a timestamptz. `expression` is SQL for a float8, never user input. */
export function fromMs(expression: string): Prisma.Sql {
  return Prisma.raw(`(timestamptz 'epoch' + ${expression} * interval '1 millisecond')`);
}
