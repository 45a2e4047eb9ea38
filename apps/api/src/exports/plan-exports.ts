import { planToCsv, planToMarkdown, type PlanJson } from '@allot/planner';
import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { preferredType } from './preferred-type.js';

const JSON_TYPE = 'application/json';
const CSV = 'text/csv';
const MARKDOWN = 'text/markdown';

/** The media types in which an operation that answers a plan can answer, beside JSON; for `mediaTypes` of its answer. */
export const PLAN_EXPORTS = [CSV, MARKDOWN] as const;

/** In which of them, or as JSON, a request wants its plan. */
export function planTypeOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return preferredType(headers.accept, [JSON_TYPE, ...PLAN_EXPORTS]);
}

/** Whether a request wants its plan as JSON. */
export function wantsJson(request: Pick<FastifyRequest, 'headers'>): boolean {
  return planTypeOf(request) === JSON_TYPE;
}

/** A stored plan, or one that was only computed. */
type Answer =
  | PlanJson
  | { readonly id: string; readonly groupId: string; readonly baseRevision: number; readonly result: PlanJson };

/** Writes an answered plan as CSV or as a Markdown report for those who prefer that; whoever takes anything gets JSON. */
@Injectable()
class PlanExportInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const type = planTypeOf(http.getRequest<FastifyRequest>());
    const reply = http.getResponse<FastifyReply>();
    void reply.header('Vary', 'Accept');
    if (type === JSON_TYPE) return next.handle();
    return next.handle().pipe(
      map((answer: Answer | undefined) => {
        // A plan that has not changed since it was read (304) has no body.
        if (answer === undefined) return undefined;
        void reply.header('Content-Type', `${type}; charset=utf-8`);
        return type === CSV ? planToCsv(resultOf(answer)) : reportOf(answer);
      }),
    );
  }
}

/** Lets an operation that answers a plan answer in `PLAN_EXPORTS` as well. */
export function ExportsPlan(): MethodDecorator {
  return applyDecorators(UseInterceptors(PlanExportInterceptor));
}

function resultOf(answer: Answer): PlanJson {
  return 'result' in answer ? answer.result : answer;
}

function reportOf(answer: Answer): string {
  if (!('result' in answer)) return planToMarkdown(answer);
  const { id: planId, groupId, baseRevision, result } = answer;
  return planToMarkdown(result, { planId, groupId, baseRevision });
}
