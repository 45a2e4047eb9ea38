export type {
  ImportFormat,
  ImportOptions,
  ImportResult,
  ImportWarning,
  ImportWarningCode,
  ImportedCoordinator,
  ImportedGroup,
  ImportedGroupPartition,
  ImportedGroupState,
  ImportedMember,
  ImportedPartition,
  ImportedReassignment,
  ImportedTopic,
  ImportedTopicsToMove,
  LineKind,
  LineReport,
  LineStatus,
  ReassignmentPartition,
} from './import-result.js';
export { importedAssignor, importedGroupSpec } from './imported-group-spec.js';
export type { ImportedGroupSpec } from './imported-group-spec.js';
export {
  detectFormat,
  parseGroupsDescribe,
  parseImport,
  parseReassignmentJson,
  parseTopicsDescribe,
} from './parse-import.js';
export { MAX_IMPORT_LINES } from './paste.js';
export { printReassignmentJson, printTopicsToMoveJson } from './reassignment-printer.js';
export type { ReassignmentPrintOptions } from './reassignment-printer.js';
