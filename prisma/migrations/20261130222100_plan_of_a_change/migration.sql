-- A plan is kept as long as the change that carried it out.
CREATE INDEX "group_changes_plan_id_idx" ON "group_changes" ("plan_id") WHERE "plan_id" IS NOT NULL;
