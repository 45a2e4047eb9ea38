// A work queue in PostgreSQL. Items of a partition are done in their order, by whoever holds the partition.

/** Makes the queue's tables anew. `effects` has no unique key on purpose: an item that is done twice shall be seen, not prevented. */
export async function createQueue(client, partitions) {
  await client.query(`
    DROP SCHEMA IF EXISTS work_queue CASCADE;
    CREATE SCHEMA work_queue;
    CREATE TABLE work_queue.items (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, partition int NOT NULL, done boolean NOT NULL DEFAULT false);
    CREATE INDEX ON work_queue.items (partition, id) WHERE NOT done;
    CREATE TABLE work_queue.effects (item bigint NOT NULL, worker text NOT NULL, epoch int NOT NULL, at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE work_queue.fences (partition int PRIMARY KEY, epoch int NOT NULL);
    CREATE TABLE work_queue.refusals (partition int NOT NULL, worker text NOT NULL, epoch int NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
  await client.query('INSERT INTO work_queue.fences SELECT p, 0 FROM generate_series(0, $1 - 1) AS p', [partitions]);
}

export async function addItems(client, count, partitions) {
  await client.query(
    'INSERT INTO work_queue.items (partition) SELECT floor(random() * $2) FROM generate_series(1, $1)',
    [count, partitions],
  );
}

/**
 * Raises the partition's fence to the epoch since which this worker holds it; from here on whoever held it before can finish nothing.
 * False: somebody who got it later was here already.
 */
export async function takeOver(pool, partition, epoch) {
  const { rowCount } = await pool.query(
    'UPDATE work_queue.fences SET epoch = $2 WHERE partition = $1 AND epoch <= $2',
    [partition, epoch],
  );
  return rowCount === 1;
}

export async function nextItem(pool, partition) {
  const { rows } = await pool.query(
    'SELECT id FROM work_queue.items WHERE partition = $1 AND NOT done ORDER BY id LIMIT 1',
    [partition],
  );
  return rows[0]?.id;
}

/**
 * What doing an item comes to, in one transaction with the check that the worker is still the one: a process that was frozen in between
 * wakes up here, and is refused.
 */
export async function finishItem(pool, { id, partition, worker, epoch }) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const fence = await client.query('SELECT 1 FROM work_queue.fences WHERE partition = $1 AND epoch = $2 FOR UPDATE', [
      partition,
      epoch,
    ]);
    const isOurs = fence.rowCount === 1;
    if (isOurs) {
      await client.query('INSERT INTO work_queue.effects (item, worker, epoch) VALUES ($1, $2, $3)', [
        id,
        worker,
        epoch,
      ]);
      await client.query('UPDATE work_queue.items SET done = true WHERE id = $1', [id]);
    } else {
      await client.query('INSERT INTO work_queue.refusals (partition, worker, epoch) VALUES ($1, $2, $3)', [
        partition,
        worker,
        epoch,
      ]);
    }
    await client.query('COMMIT');
    return isOurs;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** Where the queue stands, and what must not be: items with more than one effect, or done without any. */
export async function inspect(client) {
  const { rows } = await client.query(`
    SELECT (SELECT count(*) FROM work_queue.items)::int AS items,
      (SELECT count(*) FROM work_queue.items WHERE done)::int AS done,
      (SELECT count(*) FROM work_queue.refusals)::int AS refused,
      (SELECT count(*) FROM (SELECT 1 FROM work_queue.effects GROUP BY item HAVING count(*) > 1) AS twice)::int AS twice,
      (SELECT count(*) FROM work_queue.items i WHERE done AND NOT EXISTS (SELECT 1 FROM work_queue.effects e WHERE e.item = i.id))::int AS lost,
      (SELECT count(*) FROM (SELECT e.epoch < max(e.epoch) OVER (PARTITION BY i.partition ORDER BY i.id ROWS UNBOUNDED PRECEDING) AS late
        FROM work_queue.effects e JOIN work_queue.items i ON i.id = e.item) AS o WHERE late)::int AS backwards`);
  return rows[0];
}
