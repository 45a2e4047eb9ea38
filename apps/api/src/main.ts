import { ConfigError, readConfig } from './config/config.js';
import { createLogger } from './observability/log.js';
import { banner } from './service/banner.js';
import { StartError } from './service/start-error.js';
import { type Service, startService } from './service/start-service.js';

/** `npm start`: serves until a signal comes. A second signal ends the process at once. */

/** Ctrl-C reaches the process from the terminal, and a moment later again from npm, which passes it on: that is one request to stop. */
const SAME_SIGNAL_MS = 1_000;

let firstSignalAt = 0;
const stopping = new AbortController();
let service: Service | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void onSignal());

try {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  service = await startService({
    config,
    logger,
    signal: stopping.signal,
    onNotice: (line) => console.log(line),
    onCrash: (detail) => fail(new StartError(detail)),
  });
  console.log(banner(service, performance.now()));
} catch (error) {
  if (!stopping.signal.aborted) fail(error);
  process.exit(0);
}

async function onSignal(): Promise<void> {
  if (stopping.signal.aborted) {
    if (performance.now() - firstSignalAt < SAME_SIGNAL_MS) return;
    process.exit(1);
  }
  firstSignalAt = performance.now();
  stopping.abort();
  if (service === undefined) return;
  console.log('Stopping; once more stops at once.');
  try {
    await service.stop();
    process.exit(0);
  } catch (error) {
    fail(error);
  }
}

/** Ends the process. Errors that were written for people are told in their words alone. */
function fail(error: unknown): never {
  const forPeople = ['ConfigError', 'StartError', 'EmbeddedPostgresError', 'MigrationError'];
  const known = error instanceof Error && forPeople.includes(error.name);
  const text = error instanceof ConfigError ? error.problems.join('\n  ') : known ? error.message : undefined;
  console.error(text === undefined ? error : `Allot cannot run:\n  ${text}`);
  process.exit(1);
}
