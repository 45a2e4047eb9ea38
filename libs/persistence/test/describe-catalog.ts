import pg from 'pg';

/** One line for everything that a migration can make: columns, constraints, indexes, triggers, functions, storage, rows. */
const QUERIES = [
  `SELECT format('column %s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
     CASE WHEN a.attnotnull THEN ' not null' ELSE '' END,
     CASE WHEN a.attcollation <> 0 AND co.collname <> 'default' THEN ' collate ' || co.collname ELSE '' END,
     CASE WHEN a.attidentity <> '' THEN ' identity' WHEN d.oid IS NOT NULL THEN ' default ' || pg_get_expr(d.adbin, d.adrelid)
          ELSE '' END) AS line
   FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
   LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum LEFT JOIN pg_collation co ON co.oid = a.attcollation
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`,
  // PostgreSQL 18 lists NOT NULL among the constraints; the columns have said it already.
  `SELECT format('constraint %s.%s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS line
   FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'`,
  `SELECT 'index ' || indexdef AS line FROM pg_indexes WHERE schemaname = 'public'`,
  `SELECT 'trigger ' || pg_get_triggerdef(oid) AS line FROM pg_trigger WHERE NOT tgisinternal`,
  `SELECT 'function ' || regexp_replace(pg_get_functiondef(oid), '\\s+', ' ', 'g') AS line
   FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  `SELECT format('storage %s %s', relname, array_to_string(reloptions, ', ')) AS line
   FROM pg_class WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL`,
  `SELECT format('row of clusters: %s', (to_jsonb(c) - 'created_at')::text) AS line FROM clusters c`,
];

/** The database's schema as sorted text that is the same on PostgreSQL 15 to 18. */
export async function describeCatalog(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const lines: string[] = [];
    for (const query of QUERIES) {
      const { rows } = await client.query<{ line: string }>(query);
      lines.push(...rows.map(({ line }) => line.replaceAll('public.', '')));
    }
    const own = lines.filter((line) => !line.includes('_prisma_migrations'));
    return `${own.sort().join('\n')}\n`;
  } finally {
    await client.end();
  }
}
