-- What applying a plan does beside the target, and who approved, applied or discarded it.
ALTER TABLE "plans" ADD COLUMN "effect" JSONB;
ALTER TABLE "plans" ADD COLUMN "decisions" JSONB NOT NULL DEFAULT '{}';

-- The plan that a change carried out.
ALTER TABLE "group_changes" ADD COLUMN "plan_id" UUID;

-- The transaction of a change. In this order, and up to the oldest transaction that still runs, a reader of a whole cluster misses nothing.
ALTER TABLE "group_changes" ADD COLUMN "txid" BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint);
CREATE INDEX "group_changes_txid_group_pk_revision_idx" ON "group_changes" ("txid", "group_pk", "revision");

-- All members of a group as a revision left them: from there on, its changes tell any later revision. A group without one began empty.
CREATE TABLE "group_snapshots" (
    "group_pk" BIGINT NOT NULL,
    "revision" BIGINT NOT NULL,
    "members" JSONB NOT NULL,
    CONSTRAINT "group_snapshots_pkey" PRIMARY KEY ("group_pk", "revision"),
    CONSTRAINT "group_snapshots_group_pk_fkey" FOREIGN KEY ("group_pk") REFERENCES "groups"("id") ON DELETE CASCADE ON UPDATE NO ACTION
);

-- Of older changes some may be gone already, so the groups that exist start with what they are now.
INSERT INTO "group_snapshots" ("group_pk", "revision", "members")
SELECT g."id", g."revision", coalesce((
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'memberId', m."member_id", 'added', true, 'instanceId', m."instance_id", 'memberEpoch', m."member_epoch", 'state', m."state",
        'current', coalesce(o."assigned", '{}'), 'revoking', coalesce(o."revoking", '{}'), 'target', m."target")) ORDER BY m."join_order")
    FROM "group_members" m CROSS JOIN LATERAL (
        SELECT jsonb_object_agg(t."topic", t."partitions") FILTER (WHERE t."kind" = 'assigned') AS "assigned",
               jsonb_object_agg(t."topic", t."partitions") FILTER (WHERE t."kind" = 'revoking') AS "revoking"
        FROM (
            SELECT p."topic", p."kind", jsonb_agg(p."partition" ORDER BY p."partition") AS "partitions" FROM "partition_ownership" p
            WHERE p."group_pk" = m."group_pk" AND p."member_id" = m."member_id" GROUP BY p."topic", p."kind") t) o
    WHERE m."group_pk" = g."id"), '[]')
FROM "groups" g;

-- What happened to a group from its first revision on can be told from there.
INSERT INTO "group_snapshots" ("group_pk", "revision", "members")
SELECT c."group_pk", 0, '[]' FROM "group_changes" c WHERE c."revision" = 1;
