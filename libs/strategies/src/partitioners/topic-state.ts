import { invalidRequest } from '@allot/model';

/** Refuses a partition count that is no integer from 1 up. */
export function requirePartitionCount(partitions: number): void {
  if (Number.isInteger(partitions) && partitions >= 1 && partitions < 2 ** 31) return;
  throw invalidRequest(`${partitions} is not a partition count: give an integer from 1 up.`);
}
