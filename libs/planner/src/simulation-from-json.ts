import { invalidRequest } from '@allot/model';
import { readChange } from './changes-from-json.js';
import { PLAN_LIMITS, summarize } from './check-group.js';
import { compact } from './compact.js';
import { JsonReader, optional } from './json-reader.js';
import { GROUP_KEYS, readGroup } from './plan-from-json.js';
import { SIMULATION_LIMITS } from './simulate.js';
import type { RollingRestart, SimulationInput, SimulationStep } from './simulation-types.js';
import { DEFAULT_TIMING } from './timing.js';
import type { Timing } from './timing.js';

/** Times are checked again by `simulate`, with the range that they may have. */
const TIMING_KEYS = Object.keys(DEFAULT_TIMING) as (keyof Timing)[];

/**
 * Reads what `simulate` takes: `{"assignor", "topics", "members", "protocol"?, "timing"?, "steps": [...]}`. A step is
 * `{"rollingRestart": {"batchSize"?, "members"?}}`, `{"crash": 2}` or `{"crash": ["c1"]}`, `{"zoneLoss": "a"}`, or any change
 * of a plan. Throws `AllotError` INVALID_REQUEST with a JSON pointer for every fault of form.
 */
export function simulationFromJson(body: unknown): SimulationInput {
  const reader = new JsonReader();
  const fields = reader.object(body, '', [...GROUP_KEYS, 'timing', 'steps']);
  const input = fields && {
    ...readGroup(reader, fields),
    ...compact({ timing: readTimingOf(reader, fields) }),
    steps: readSteps(reader, fields),
  };
  if (reader.errors.length > 0 || input === undefined) throw invalidRequest(summarize(reader.errors), reader.errors);
  return input;
}

type Fields = Readonly<Record<string, unknown>>;

export function readSteps(reader: JsonReader, fields: Fields): SimulationStep[] {
  return reader.list(fields['steps'], '/steps', SIMULATION_LIMITS.steps, (step, at) => readStep(reader, step, at));
}

export function readTimingOf(reader: JsonReader, fields: Fields): Partial<Timing> | undefined {
  return optional(fields['timing'], (timing) => readTiming(reader, timing));
}

function readTiming(reader: JsonReader, value: unknown): Partial<Timing> | undefined {
  const timing = reader.object(value, '/timing', TIMING_KEYS);
  if (timing === undefined) return undefined;
  const read = (key: keyof Timing): [string, number | undefined] => {
    return [key, optional(timing[key], (time) => reader.number(time, `/timing/${key}`))];
  };
  return compact(Object.fromEntries(TIMING_KEYS.map(read)));
}

function readStep(reader: JsonReader, value: unknown, at: string): SimulationStep | undefined {
  if (typeof value !== 'object' || value === null) return reader.fail(at, 'Expected a step, for example {"crash": 1}.');
  if (Object.hasOwn(value, 'rollingRestart')) {
    const step = reader.object(value, at, ['rollingRestart']);
    return step && readRestart(reader, step['rollingRestart'], `${at}/rollingRestart`);
  }
  if (Object.hasOwn(value, 'crash')) {
    const crash = reader.object(value, at, ['crash'])?.['crash'];
    const many = typeof crash === 'number';
    return {
      crash: many
        ? (reader.integer(crash, `${at}/crash`, 0, PLAN_LIMITS.members) ?? 0)
        : reader.texts(crash, `${at}/crash`, PLAN_LIMITS.members),
    };
  }
  if (Object.hasOwn(value, 'zoneLoss')) {
    const rack = reader.text(reader.object(value, at, ['zoneLoss'])?.['zoneLoss'], `${at}/zoneLoss`);
    return rack === undefined ? undefined : { zoneLoss: rack };
  }
  return readChange(reader, value, at);
}

function readRestart(reader: JsonReader, value: unknown, at: string): RollingRestart | undefined {
  const restart = reader.object(value, at, ['batchSize', 'members']);
  if (restart === undefined) return undefined;
  const rollingRestart = compact({
    batchSize: optional(restart['batchSize'], (size) =>
      reader.integer(size, `${at}/batchSize`, 1, PLAN_LIMITS.members),
    ),
    members: optional(restart['members'], (ids) => reader.texts(ids, `${at}/members`, PLAN_LIMITS.members)),
  });
  return { rollingRestart };
}
