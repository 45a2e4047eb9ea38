import { randomUUID } from 'node:crypto';
import { AllotError, invalidRequest } from '@allot/model';
import type { ErrorAction, FieldError } from '@allot/model';
import { Interrupted, type Terminal } from '../terminal.js';

export interface ApiRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names that may be anything go into the query here; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
}

export interface ApiAnswer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** How often something is asked again that may succeed later, and the longest wait in between. */
const MOST_RETRIES = 3;
const LONGEST_WAIT_MS = 10_000;

/** A client of one server: problems become errors with their codes, and what may be repeated safely is. */
export class ApiClient {
  readonly #base: URL;
  readonly #signal: AbortSignal;

  constructor(
    server: string,
    private readonly key: string | undefined,
    private readonly terminal: Terminal,
  ) {
    this.#base = readServer(server);
    this.#signal = terminal.interruptible();
  }

  get<T>(path: string, request: ApiRequest = {}): Promise<ApiAnswer<T>> {
    return this.#retrying('GET', path, request);
  }

  /** Posts with an idempotency key, so that a request whose answer was lost is not carried out twice. */
  post<T>(path: string, request: ApiRequest = {}): Promise<ApiAnswer<T>> {
    const headers = { 'Idempotency-Key': randomUUID(), ...request.headers };
    return this.#retrying('POST', path, { ...request, headers });
  }

  /** A stream; its head has arrived. @throws AllotError as the other calls, without trying again. */
  async open(path: string, headers: Readonly<Record<string, string>>): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#send('GET', path, { headers });
    if (response.body === null) throw notAllot(this.#base);
    return response.body;
  }

  async #retrying<T>(method: string, path: string, request: ApiRequest): Promise<ApiAnswer<T>> {
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await this.#send(method, path, request);
        return { value: await readJson<T>(response, this.#base), headers: response.headers };
      } catch (error) {
        if (!(error instanceof AllotError) || !error.retriable || attempt >= MOST_RETRIES) throw error;
        await pause(backoff(attempt, this.terminal.random(), error.retryAfterMs), this.#signal);
      }
    }
  }

  async #send(method: string, path: string, { body, headers = {}, query = {} }: ApiRequest): Promise<Response> {
    const url = new URL(this.#base.pathname.replace(/\/$/, '') + path, this.#base);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const text = typeof body === 'string';
    const response = await fetch(url, {
      method,
      headers: {
        ...(this.key !== undefined && { Authorization: `Bearer ${this.key}` }),
        ...(body !== undefined && { 'Content-Type': text ? 'text/plain' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: text ? body : JSON.stringify(body) }),
      signal: this.#signal,
    }).catch((error: unknown) => {
      if (this.#signal.aborted) throw new Interrupted('Interrupted.');
      throw unreachable(this.#base, error);
    });
    if (response.ok) return response;
    throw await readProblem(response, this.#base);
  }
}

/** A path with names in it, each percent-encoded. */
export function pathOf(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return parts.reduce((path, part, i) => path + encodeURIComponent(names[i - 1]!) + part);
}

/** Full jitter: any time up to a limit that doubles; what the server asks for comes first. */
export function backoff(attempt: number, random: number, retryAfterMs = 0): number {
  return retryAfterMs + random * Math.min(LONGEST_WAIT_MS, 250 * 2 ** attempt);
}

/** @throws Interrupted when the signal comes first. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Interrupted('Interrupted.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

function readServer(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalidRequest(`"${server}" is no address of a server: write it like http://127.0.0.1:3000.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidRequest('Give the key with ALLOT_KEY or --key, not in the address, where logs would keep it.');
  }
  return url;
}

async function readJson<T>(response: Response, base: URL): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw notAllot(base, error);
  }
}

/** RFC 9457. What is no problem document comes from something else than Allot, such as a proxy on the way. */
async function readProblem(response: Response, base: URL): Promise<AllotError> {
  const type = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const problem = /problem\+json/.test(type) ? (JSON.parse(text) as Record<string, unknown>) : undefined;
  if (problem === undefined) {
    const busy = response.status === 502 || response.status === 503 || response.status === 504;
    return new AllotError(
      'UNEXPECTED_ANSWER',
      `${base.origin} answered ${response.status}, not as Allot does: ${text.slice(0, 200)}`,
      {
        action: busy ? 'retry' : 'fix-request',
      },
    );
  }
  const {
    code,
    detail,
    action,
    retriable,
    retryAfterMs,
    errors,
    type: _,
    title: __,
    status: ___,
    instance: ____,
    ...facts
  } = problem;
  return new AllotError(String(code), String(detail), {
    action: action as ErrorAction,
    retriable: retriable === true,
    ...(typeof retryAfterMs === 'number' && { retryAfterMs }),
    ...(Array.isArray(errors) && { errors: errors as FieldError[] }),
    facts,
  });
}

function unreachable(base: URL, error: unknown): AllotError {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  const why = cause?.code ?? cause?.message ?? String(error);
  return new AllotError(
    'SERVER_UNREACHABLE',
    `${base.origin} cannot be reached (${why}). Is the service running, and is --server right?`,
    {
      action: 'retry',
      cause: error,
    },
  );
}

function notAllot(base: URL, cause?: unknown): AllotError {
  return new AllotError('UNEXPECTED_ANSWER', `${base.origin} does not answer as Allot does; is --server right?`, {
    action: 'fix-request',
    cause,
  });
}
