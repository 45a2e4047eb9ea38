import { invalidRequest } from '@allot/model';
import type { Change } from './change.js';
import { readChanges } from './changes-from-json.js';
import { summarize } from './check-group.js';
import { compact } from './compact.js';
import { JsonReader, optional } from './json-reader.js';
import { readAssignors, readProtocol, readUpTo } from './plan-from-json.js';
import { readSteps, readTimingOf } from './simulation-from-json.js';
import type { SimulationInput } from './simulation-types.js';

// What is asked about a group that is known already: the fields of the same question about an inline group, without the group.

/** Reads `{"assignors": [...], "changes"?}`. Throws `AllotError` INVALID_REQUEST with a JSON pointer for every fault of form. */
export function groupComparisonFromJson(body: unknown): {
  readonly changes: readonly Change[];
  readonly assignors: readonly string[];
} {
  return read(body, ['changes', 'assignors'], (reader, fields) => {
    return { changes: changesOf(reader, fields), assignors: readAssignors(reader, fields) };
  });
}

/** Reads `{"upTo"?, "changes"?}`; an empty body asks about the group as it is. Throws as above. */
export function groupRightSizeFromJson(body: unknown): {
  readonly changes: readonly Change[];
  readonly upTo: number | undefined;
} {
  return read(body ?? {}, ['changes', 'upTo'], (reader, fields) => {
    return { changes: changesOf(reader, fields), upTo: readUpTo(reader, fields) };
  });
}

/** Reads `{"steps": [...], "timing"?, "protocol"?}`. Throws as above. */
export function groupSimulationFromJson(body: unknown): Pick<SimulationInput, 'steps' | 'timing' | 'protocol'> {
  return read(body, ['steps', 'timing', 'protocol'], (reader, fields) =>
    compact({
      protocol: readProtocol(reader, fields),
      timing: readTimingOf(reader, fields),
      steps: readSteps(reader, fields),
    }),
  );
}

type Fields = Readonly<Record<string, unknown>>;

function read<T>(body: unknown, keys: readonly string[], readFields: (reader: JsonReader, fields: Fields) => T): T {
  const reader = new JsonReader();
  const fields = reader.object(body, '', keys);
  const result = fields && readFields(reader, fields);
  if (reader.errors.length > 0 || result === undefined) throw invalidRequest(summarize(reader.errors), reader.errors);
  return result;
}

function changesOf(reader: JsonReader, fields: Fields): readonly Change[] {
  return optional(fields['changes'], (value) => readChanges(reader, value, '/changes')) ?? [];
}
