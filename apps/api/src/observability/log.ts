import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config/config.js';

export function createLogger(level: LogLevel): Logger {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    // What a database error carries along holds the keys and passwords of its connection.
    redact: { paths: ['req.headers.authorization', 'headers.authorization', 'err.config', 'err.client'], remove: true },
  });
}

/** Lets NestJS speak through pino; its start-up chatter is kept for `debug`. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const [context] = rest.slice(-1);
      logger[level]({ context, ...(message instanceof Error ? { err: message } : {}) }, String(message));
    };
  const debug = write('debug');
  return { log: debug, debug, verbose: debug, warn: write('warn'), error: write('error'), fatal: write('fatal') };
}
