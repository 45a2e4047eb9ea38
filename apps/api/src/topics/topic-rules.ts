import { LIMITS } from '../config/limits.js';
import { Each, complainAboutEach, complainAboutInteger, complainAboutName, show } from '../validation/rules.js';

const complainAboutBroker = (value: unknown) => complainAboutInteger(value, 0, LIMITS.brokerId);

/** A list of broker ids for each partition. */
export function BrokerIds(): PropertyDecorator {
  return Each('brokers', (value) => complainAboutShortList(value) ?? complainAboutEach(value, complainAboutBroker));
}

/** A broker id, or null for no leader, for each partition. */
export function Leaders(): PropertyDecorator {
  return Each('leader', (value) => (value === null ? undefined : complainAboutBroker(value)));
}

/** A list of racks for each partition. */
export function RackNames(): PropertyDecorator {
  return Each('racks', (value) => complainAboutShortList(value) ?? complainAboutEach(value, complainAboutRack));
}

function complainAboutRack(value: unknown): string | undefined {
  return typeof value === 'string' && value.length > LIMITS.nameLength
    ? `must have at most ${LIMITS.nameLength} characters`
    : complainAboutName(value);
}

function complainAboutShortList(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `must be a list, not ${show(value)}`;
  return value.length > LIMITS.replicasPerPartition
    ? `must have at most ${LIMITS.replicasPerPartition} entries, not ${value.length}`
    : undefined;
}
