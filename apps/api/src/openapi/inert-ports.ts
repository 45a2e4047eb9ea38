import type { AppPorts } from '../ports.js';

/** Ports for describing the API without a database; nothing may be asked of them. */
export function inertPorts(): AppPorts {
  return new Proxy({} as AppPorts, { get: (_target, name) => inert(String(name)) });
}

function inert(port: string): object {
  return new Proxy(
    {},
    {
      get: (_target, key) => {
        // The framework looks for lifecycle hooks and promises on everything it is given.
        if (typeof key === 'symbol' || key === 'then' || /^(on|before)[A-Z]/.test(key)) return undefined;
        return () => {
          throw new Error(`the port ${port} is not there, so ${key} cannot be called`);
        };
      },
    },
  );
}
