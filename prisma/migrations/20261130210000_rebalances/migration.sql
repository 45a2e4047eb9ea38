-- What a change means for the group's rebalances: where one begins or ends, what a new target moves. Changes from before have none.
ALTER TABLE "group_changes" ADD COLUMN "rebalance" JSONB;
CREATE INDEX "group_changes_rebalance_idx" ON "group_changes" ("group_pk", "revision") WHERE "rebalance" IS NOT NULL;
