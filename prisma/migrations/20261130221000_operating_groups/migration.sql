-- What a group remembers so as to keep calm: a freeze, who left, moves that are still to come.
ALTER TABLE "groups" ADD COLUMN "calm" JSONB;

-- What sets a member apart from those that an assignor gives partitions to: draining, superseded, manual.
ALTER TABLE "group_members" ADD COLUMN "standing" JSONB;

-- What else belongs to the cause of a change.
ALTER TABLE "group_changes" ADD COLUMN "details" JSONB;
