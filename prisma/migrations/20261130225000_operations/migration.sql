-- Work that takes longer than its client waits, and what came of it.
CREATE TABLE "operations" (
    "id" UUID NOT NULL,
    "principal" TEXT COLLATE "C" NOT NULL,
    "request" JSONB NOT NULL,
    "status" TEXT NOT NULL CHECK ("status" IN ('running', 'succeeded', 'failed', 'cancelled')),
    "attempts" INTEGER NOT NULL,
    "result" JSONB,
    "problem" JSONB,
    "lease_until" TIMESTAMPTZ(6) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "finished_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    CONSTRAINT "operations_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "operations_lease_until_idx" ON "operations" ("lease_until") WHERE "status" = 'running';
CREATE INDEX "operations_principal_created_at_id_idx" ON "operations" ("principal", "created_at", "id");
CREATE INDEX "operations_expires_at_idx" ON "operations" ("expires_at");
