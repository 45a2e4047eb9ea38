export type { AssignmentResult, AssignmentWarning, AssignOptions, Assignor } from './assignors/assignor.js';
