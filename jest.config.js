import { availableParallelism } from 'node:os';

/** Options that every project shares: ESM through swc, workspaces resolved to their sources, so tests need no build. */
const shared = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@allot/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/libs/{model,strategies,coordinator,planner,interop,client}/test/**/*.spec.ts',
        '<rootDir>/apps/cli/test/**/*.spec.ts',
        '<rootDir>/test/unit/**/*.spec.ts',
      ],
    },
    {
      ...shared,
      displayName: 'service',
      testMatch: [
        '<rootDir>/libs/persistence/test/**/*.spec.ts',
        '<rootDir>/apps/!(cli)/test/**/*.spec.ts',
        '<rootDir>/test/e2e/**/*.spec.ts',
      ],
      globalSetup: '<rootDir>/test/support/postgres-global-setup.ts',
      globalTeardown: '<rootDir>/test/support/postgres-global-teardown.ts',
    },
  ],
  testTimeout: 30_000,
  // Many tests wait for a database or a timer, so two at a time are faster even on two cores. A process that has run a hundred files is slow: a new one
  // takes over.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  workerIdleMemoryLimit: '1GB',
};
