import type { FieldError, TopicPartition } from '@allot/model';
import { invalidRequest } from '@allot/model';

/** What `weighted-sticky` can be told. Every field may be left out. */
export interface WeightedStickyOptions {
  /**
   * What is made even. 'count' (the default): as many partitions for everyone in proportion to capacity; load only decides
   * who gets which. 'load': the sum of the partitions' weights, in proportion to capacity.
   */
  readonly balance?: 'count' | 'load';
  /**
   * How far the counts of two members may be apart, per unit of capacity, before a partition moves for it. With 'count' it
   * is 1 or more, and absent means as even as possible; with 'load' it keeps loads from making counts too uneven, and absent
   * means no limit.
   */
  readonly maxSkew?: number;
  /** With 'load': the hottest member gives only when it has at least so many times the coldest one's load. 2 when absent. */
  readonly relativeHysteresis?: number;
  /** With 'load': a move must lower the hotter of the two by at least so much, in the unit of weights. 0 when absent. */
  readonly absoluteHysteresis?: number;
  /** The most partitions that may move from a member that could keep them. Absent means no limit. */
  readonly moveBudget?: number;
  /** Partitions that moved lately and stay where they are, unless their owner is gone. */
  readonly coolingDown?: readonly TopicPartition[];
}

/** @throws INVALID_REQUEST naming every field that is wrong */
export function checkOptions(options: WeightedStickyOptions): void {
  const errors: FieldError[] = [];
  const expect = (field: keyof WeightedStickyOptions, isValid: (value: number) => boolean, detail: string) => {
    const value = options[field];
    if (value !== undefined && !(typeof value === 'number' && isValid(value)))
      errors.push({ pointer: `/weightedSticky/${field}`, detail });
  };
  if (options.balance !== undefined && !['count', 'load'].includes(options.balance))
    errors.push({ pointer: '/weightedSticky/balance', detail: 'It is "count" or "load".' });
  expect('maxSkew', (value) => value >= 1, 'It is a number of 1 or more.');
  expect('relativeHysteresis', (value) => value >= 1, 'It is a number of 1 or more.');
  expect('absoluteHysteresis', (value) => value >= 0, 'It is a number of 0 or more.');
  expect('moveBudget', (value) => Number.isInteger(value) && value >= 0, 'It is a whole number of 0 or more.');
  if (errors.length > 0) throw invalidRequest('The options of weighted-sticky are not valid.', errors);
}
