/**
 * Who may import whom: downward only. Each floor lists the floors it may use; what is not listed is a breach.
 * Features stand in the order in which they may use each other.
 */
const relay = (folder) => `^src/relay/${folder}/`;
const GROUND = ['ground', 'settings', 'secrets', 'filters', 'database', 'network', 'http'].map(relay);
const FEATURES = {
  targets: [],
  deliveries: ['targets'],
  events: ['targets', 'deliveries'],
  replays: ['targets', 'deliveries', 'events'],
  'diagnostics/ledger': ['targets', 'deliveries'],
  connection: [],
  subscription: ['connection'],
  'system-events': ['targets', 'deliveries', 'events', 'connection', 'subscription'],
  outages: ['events', 'subscription'],
  'diagnostics/reachability': ['subscription'],
  intake: ['targets', 'deliveries', 'events', 'connection', 'subscription', 'diagnostics/reachability'],
};
const LANGUAGE = ['^src/protocol/', '^src/contract/'];
const EDGES = ['stats', 'diagnostics', 'access', 'audit', 'live', 'api'];
const PACKAGES = ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'];

const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { pathNot: [from, ...allowed, '^better-sqlite3-napi$'], dependencyTypesNot: PACKAGES },
});

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    // The driver for Node 22 and later is optional: npm leaves it out on Node 20.
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: ['^better-sqlite3-napi$'] },
    },
    {
      name: 'no-dev-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    // It is as much to load as a fifth of the daemon: only for whoever asks for the description.
    {
      name: 'swagger-when-asked-for',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/relay/(api/(openapi|describe-schema)|http/responses)\\.ts$' },
      to: { path: '@nestjs/swagger' },
    },
    only('protocol-stands-alone', '^src/protocol/', []),
    only('contract-on-protocol', '^src/contract/', ['^src/protocol/']),
    only('sandbox-knows-the-protocol-only', '^src/sandbox/', ['^src/protocol/']),
    only('ground-on-language', '^src/relay/(ground|settings|secrets|filters|database|network|http)/', [
      ...LANGUAGE,
    ]),
    ...Object.entries(FEATURES).map(([feature, below]) =>
      only(`${feature}-downward`, relay(feature), [...LANGUAGE, ...GROUND, ...below.map(relay)]),
    ),
    ...EDGES.map((edge) =>
      only(`${edge}-downward`, relay(edge), [
        ...LANGUAGE,
        ...GROUND,
        ...Object.keys(FEATURES).map(relay),
        ...EDGES.slice(0, EDGES.indexOf(edge)).map(relay),
      ]),
    ),
    only('composition-below-cli', '^src/relay/[^/]+\\.ts$', [...LANGUAGE, '^src/relay/']),
    {
      name: 'nothing-above-cli-but-main',
      severity: 'error',
      from: { pathNot: '^src/(cli/|main\\.ts)' },
      to: { path: '^src/(cli/|main\\.ts)' },
    },
    {
      name: 'screens-take-types-only',
      severity: 'error',
      from: { path: '^ui/' },
      to: { path: '^src/(contract|protocol)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'screens-know-no-daemon',
      severity: 'error',
      from: { path: '^ui/' },
      to: { path: '^src/', pathNot: '^src/(contract|protocol)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
