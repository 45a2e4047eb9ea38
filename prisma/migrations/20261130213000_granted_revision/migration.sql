-- The revision that last gave a member a partition: reports from before it say nothing of that partition.
ALTER TABLE "group_members" ADD COLUMN "granted_revision" BIGINT;
