import { request, type Agent } from 'node:http';

export interface WireOptions {
  readonly group: string;
  readonly replicas: readonly string[];
  readonly agent: Agent;
  readonly random: () => number;
}

/** Requests of a worker, each to any replica, over a network that loses one answer in a hundred. */
export class Wire {
  constructor(private readonly options: WireOptions) {}

  /** `withinMs`: when the request is given up. Rejects with the problem's members on the error. */
  send<T>(method: string, path: string, body?: unknown, withinMs = 3_000): Promise<T> {
    const { replicas, group, agent, random } = this.options;
    const url = `${replicas[Math.floor(random() * replicas.length)]}/v1/clusters/default/groups/${group}${path}`;
    const loses = random() < 0.01;
    return new Promise((resolve, reject) => {
      const call = request(
        url,
        { method, agent, timeout: withinMs, headers: { 'content-type': 'application/json' } },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.once('error', reject);
          response.once('end', () => {
            if (loses) return reject(new Error('the answer was lost'));
            const status = response.statusCode ?? 0;
            if (status >= 300) return reject(Object.assign(new Error(`${status} ${text}`), readProblem(text)));
            resolve(text === '' ? (undefined as never) : (JSON.parse(text) as T));
          });
        },
      );
      call.once('timeout', () => call.destroy(new Error('timed out')));
      call.once('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function readProblem(text: string): { action?: string } {
  try {
    return JSON.parse(text) as { action?: string };
  } catch {
    return {};
  }
}
