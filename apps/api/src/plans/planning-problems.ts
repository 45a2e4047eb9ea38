/** Codes that every operation answers that runs assignors, those of one's own included. */
export const PLANNING_PROBLEMS = [
  'UNSUPPORTED_ASSIGNOR',
  'UNSUPPORTED_KAFKA_VERSION',
  'ASSIGNOR_TIMEOUT',
  'ASSIGNOR_FAILED',
  'INVALID_ASSIGNMENT',
] as const;
