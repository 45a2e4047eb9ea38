import { AllotError } from '@allot/model';
import { HttpException } from '@nestjs/common';

/** Codes for errors of the web framework, by HTTP status. Their messages are the framework's, so only ours are sent. */
const FRAMEWORK_ERRORS: ReadonlyMap<number, readonly [code: string, message: string]> = new Map([
  [400, ['INVALID_REQUEST', 'The request could not be read. Check its path, its headers and its body.']],
  [404, ['NOT_FOUND', 'There is nothing at this path. See /docs for the paths there are.']],
  [405, ['METHOD_NOT_ALLOWED', 'This path does not take this method.']],
  [406, ['NOT_ACCEPTABLE', 'None of the accepted media types can be served here.']],
  [408, ['REQUEST_TIMEOUT', 'The request did not arrive in time.']],
  [413, ['PAYLOAD_TOO_LARGE', 'The body is larger than this service takes.']],
  [414, ['URI_TOO_LONG', 'A name in the path is longer than any name can be.']],
  [415, ['UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json (set the Content-Type header).']],
]);

/**
 * Whatever was thrown, as an error that a caller may see. Anything unknown becomes INTERNAL_ERROR, whose `cause` is for the
 * log alone.
 */
export function toAllotError(thrown: unknown): AllotError {
  if (thrown instanceof AllotError) return thrown;
  const status = frameworkStatus(thrown);
  const known = status === undefined ? undefined : FRAMEWORK_ERRORS.get(status);
  if (known !== undefined) return new AllotError(known[0], known[1], { action: 'fix-request', cause: thrown });
  if (status === 503) {
    return new AllotError('SHUTTING_DOWN', 'This instance is stopping.', { action: 'retry', retryAfterMs: 1_000 });
  }
  return new AllotError('INTERNAL_ERROR', 'The service failed; its log has the details under this request id.', {
    action: 'retry',
    retriable: false,
    cause: thrown,
  });
}

function frameworkStatus(thrown: unknown): number | undefined {
  if (thrown instanceof HttpException) return thrown.getStatus();
  if (thrown instanceof Error && 'statusCode' in thrown && typeof thrown.statusCode === 'number') {
    return thrown.statusCode;
  }
  return undefined;
}
