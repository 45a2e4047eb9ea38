import { MACHINE, type Environment } from './environment.js';
import { AllotClientError, errorOfAnswer } from './errors.js';
import { LinkedAbort } from './linked-abort.js';

type HeaderValues = Readonly<Record<string, string>>;

/** How to reach the service. */
export interface ServiceOptions {
  /** Base addresses of its replicas, such as `http://10.0.0.1:3000`. Any of them serves any member. */
  readonly servers: readonly string[];
  /** `default` when absent. */
  readonly cluster?: string;
  /** Sent with every request: `Authorization`, for instance. A function is asked each time. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>);
  /** For tests, and for machines that have something better. */
  readonly environment?: Environment;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: HeaderValues;
}

/** One service behind a list of addresses: it stays with one that works, and goes on to the next when that fails. */
export class Service {
  readonly environment: Environment;
  readonly #servers: readonly string[];
  readonly #headers: NonNullable<ServiceOptions['headers']>;
  readonly #cluster: string;
  #current: number;

  constructor({ servers, cluster = 'default', headers = {}, environment = MACHINE }: ServiceOptions) {
    if (servers.length === 0) throw new TypeError('`servers` needs at least one address.');
    this.#servers = servers.map((server) => server.replace(/\/+$/, ''));
    this.#headers = headers;
    this.#cluster = encodeURIComponent(cluster);
    this.environment = environment;
    this.#current = Math.floor(environment.random() * servers.length);
  }

  /** The address of a group, relative to a server. */
  groupPath(group: string): string {
    return `/v1/clusters/${this.#cluster}/groups/${encodeURIComponent(group)}`;
  }

  /** One attempt. An answer without a body is undefined. @throws AllotClientError, or the signal's reason. */
  async call<T>(
    method: string,
    path: string,
    body: unknown,
    { signal, timeoutMs }: CallOptions & { readonly timeoutMs: number },
  ): Promise<T> {
    const abort = new LinkedAbort(signal);
    let isLate = false;
    const disarm = this.environment.after(timeoutMs, () => {
      isLate = true;
      abort.abort();
    });
    try {
      const json =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const request = { method, signal: abort.signal, ...json };
      return await this.#attempt(path, request, async (response) => readJson(await response.text()) as T);
    } catch (error) {
      if (!isLate || signal?.aborted === true) throw error;
      throw new AllotClientError('TIMEOUT', `No answer within ${timeoutMs} ms.`, { action: 'retry', cause: error });
    } finally {
      disarm();
      abort.release();
    }
  }

  /** A body to read as it comes. @throws AllotClientError, or the signal's reason. */
  open(path: string, { signal, headers = {} }: CallOptions): Promise<ReadableStream<Uint8Array>> {
    const request = { method: 'GET', headers, ...(signal !== undefined && { signal }) };
    return this.#attempt(path, request, async (response) => {
      if (response.body !== null) return response.body;
      throw new AllotClientError('BAD_ANSWER', 'The stream has no body.', { action: 'retry' });
    });
  }

  /** The server did not do its part: the next request goes to another. */
  moveOn(): void {
    this.#current = (this.#current + 1) % this.#servers.length;
  }

  async #attempt<T>(path: string, request: RequestInit, read: (response: Response) => Promise<T>): Promise<T> {
    const at = this.#current;
    try {
      const more = typeof this.#headers === 'function' ? await this.#headers() : this.#headers;
      const headers = { ...more, ...(request.headers as HeaderValues | undefined) };
      const response = await this.environment.fetch(this.#servers[at]! + path, {
        ...request,
        headers,
      });
      if (response.ok) return await read(response);
      throw errorOfAnswer(response.status, await response.text(), response.headers.get('retry-after'));
    } catch (error) {
      if (error instanceof AllotClientError && !error.retriable) throw error;
      // Someone else may have moved on already.
      if (at === this.#current) this.moveOn();
      if (error instanceof AllotClientError || request.signal?.aborted === true) throw error;
      const detail = error instanceof Error ? error.message : String(error);
      throw new AllotClientError('NETWORK_ERROR', `${this.#servers[at]} cannot be reached: ${detail}`, {
        action: 'retry',
        cause: error,
      });
    }
  }
}

function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AllotClientError('BAD_ANSWER', 'The answer is not JSON.', { action: 'retry', cause });
  }
}
