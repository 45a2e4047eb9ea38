-- What only groups of type classic have: phase, protocol, leader, timer and pending members of a group; protocols and state of a member.
-- Everything that both types have stays in the columns that were there: the generation is the group epoch.
ALTER TABLE "groups" ADD COLUMN "classic" JSONB, ADD COLUMN "timer_at" TIMESTAMPTZ(6);
ALTER TABLE "group_members" ADD COLUMN "classic" JSONB, ADD COLUMN "session_timeout_ms" INTEGER;
-- The one timer of a group, for the sweep.
CREATE INDEX "groups_timer_at_idx" ON "groups" ("timer_at");
