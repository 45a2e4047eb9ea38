import type { FastifyInstance } from 'fastify';

/** Knows every route, to tell "no such path" from "not with this method". */
export class RouteTable {
  readonly #methodsByTemplate = new Map<string, Set<string>>();

  constructor(server: FastifyInstance) {
    server.addHook('onRoute', ({ method, url }) => {
      if (url.includes('*')) return;
      const methods = this.#methodsByTemplate.get(url) ?? new Set<string>();
      for (const name of [method].flat()) methods.add(name);
      this.#methodsByTemplate.set(url, methods);
    });
  }

  /** Methods that some route at this path takes, sorted; empty when there is no such path. `path` is still encoded. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    const segments = path.split('/');
    for (const [template, known] of this.#methodsByTemplate) {
      if (matches(template.split('/'), segments)) for (const name of known) methods.add(name);
    }
    return [...methods].sort();
  }
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]));
}
