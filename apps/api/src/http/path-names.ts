import { AllotError, invalidRequest } from '@allot/model';
import { Param, type PipeTransform } from '@nestjs/common';
import { LIMITS } from '../config/limits.js';
import { complainAboutName } from '../validation/rules.js';

/** A name in the path, decoded: any text without control characters. */
class PathName implements PipeTransform {
  constructor(
    private readonly parameter: string,
    private readonly max: number,
  ) {}

  transform(value: string): string {
    const complaint = complainAboutName(value);
    if (complaint !== undefined) {
      throw invalidRequest(`The ${this.parameter} in the path ${complaint}.`, [
        { pointer: this.parameter, detail: complaint },
      ]);
    }
    if (value.length > this.max) {
      const detail = `must have at most ${this.max} characters, not ${value.length}`;
      throw new AllotError('LIMIT_EXCEEDED', `The ${this.parameter} in the path ${detail}.`, {
        action: 'fix-request',
        errors: [{ pointer: this.parameter, detail }],
      });
    }
    return value;
  }
}

class PathInteger implements PipeTransform {
  constructor(
    private readonly parameter: string,
    private readonly max: number,
  ) {}

  transform(value: string): number {
    const number = /^(0|[1-9]\d{0,15})$/.test(value) ? Number(value) : Number.NaN;
    if (number <= this.max) return number;
    const detail = `must be a whole number from 0 to ${this.max}`;
    throw invalidRequest(`The ${this.parameter} in the path ${detail}.`, [{ pointer: this.parameter, detail }]);
  }
}

export const ClusterName = () => Param('cluster', new PathName('cluster', LIMITS.nameLength));
export const TopicName = () => Param('topic', new PathName('topic', LIMITS.topicNameLength));
export const GroupId = () => Param('group', new PathName('group', LIMITS.nameLength));
export const MemberId = () => Param('member', new PathName('member', LIMITS.nameLength));
export const BrokerId = () => Param('broker', new PathInteger('broker', LIMITS.brokerId));
/** A revision of a group. */
export const RevisionNumber = (parameter = 'revision') =>
  Param(parameter, new PathInteger(parameter, Number.MAX_SAFE_INTEGER));
/** Any other name in a path. */
export const PathText = (parameter: string, max: number = LIMITS.nameLength) =>
  Param(parameter, new PathName(parameter, max));
