-- When a large group may have its next target.
ALTER TABLE "groups" ADD COLUMN "next_assignment_at" TIMESTAMPTZ(6);
CREATE INDEX "groups_next_assignment_at_idx" ON "groups" ("next_assignment_at") WHERE "group_epoch" > "assignment_epoch";

-- Where the revisions of a deleted group ended, so that those of a new group of the same id never repeat them.
CREATE TABLE "deleted_groups" (
    "cluster" TEXT COLLATE "C" NOT NULL,
    "group_id" TEXT COLLATE "C" NOT NULL,
    "revision" BIGINT NOT NULL,
    "deleted_at" TIMESTAMPTZ(6) NOT NULL,
    CONSTRAINT "deleted_groups_pkey" PRIMARY KEY ("cluster", "group_id"),
    CONSTRAINT "deleted_groups_cluster_fkey" FOREIGN KEY ("cluster") REFERENCES "clusters"("name") ON DELETE CASCADE ON UPDATE NO ACTION
);
CREATE INDEX "deleted_groups_deleted_at_idx" ON "deleted_groups" ("deleted_at");
