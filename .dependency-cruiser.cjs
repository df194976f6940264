/**
 * Who may import whom: downward only. Each floor lists the floors it may use; what is not listed is a breach.
 * Features stand in the order in which they may use each other.
 */
const relay = (folder) => `^src/relay/${folder}/`;
const GROUND = ['ground', 'settings', 'secrets', 'filters', 'database', 'network', 'http'].map(relay);
const FEATURES = {
  tracing: [],
  transforms: [],
  targets: ['transforms'],
  deliveries: ['transforms', 'targets'],
  events: ['transforms', 'targets', 'deliveries'],
  manifests: ['transforms', 'targets', 'deliveries'],
  router: ['targets', 'deliveries', 'events'],
  replays: ['targets', 'deliveries', 'events'],
  consumers: ['events'],
  'saved-views': [],
  'payload-schemas': ['targets'],
  'diagnostics/ledger': ['targets', 'deliveries', 'payload-schemas'],
  backups: ['events', 'diagnostics/ledger'],
  move: ['diagnostics/ledger'],
  connection: [],
  subscription: ['connection'],
  'diagnostics/reachability': ['subscription'],
  'system-events': [
    'router',
    'targets',
    'deliveries',
    'events',
    'consumers',
    'payload-schemas',
    'connection',
    'subscription',
    'diagnostics/reachability',
  ],
  erasures: ['targets', 'events', 'replays', 'saved-views', 'payload-schemas', 'backups', 'system-events'],
  outages: ['events', 'subscription', 'intake'],
  repairs: ['targets', 'deliveries', 'events', 'connection', 'subscription', 'outages'],
  intake: ['targets', 'deliveries', 'events', 'connection', 'subscription', 'diagnostics/reachability'],
};
/** The folders of `database/`, and the files beside them. The engines do not import each other. */
const DATABASE = {
  journal: [],
  reading: [],
  migrations: ['journal'],
  '[^/]+\\.ts$': ['journal', 'reading'],
  sqlite: ['journal', 'reading', 'migrations', '[^/]+\\.ts$'],
  postgres: ['journal', 'reading', 'migrations', '[^/]+\\.ts$'],
};
const inDatabase = (part) => `^src/relay/database/${part.endsWith('$') ? part : `${part}/`}`;
const LANGUAGE = ['^src/protocol/', '^src/contract/'];
const CONSTANTS = '^src/contract/(constants|default-policy|denied-ranges|parse-long-numbers)\\.ts$';
const EDGES = ['stats', 'diagnostics', 'access', 'audit', 'live', 'api'];
/** The folders of `ui/src`, lowest first. */
const UI_LAYERS = [
  'theme',
  'format',
  'payload',
  'labels',
  'api',
  'live',
  'search',
  'components',
  'features',
  'screens',
];
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
    // It is as much to load as a fifth of the daemon: only for whoever asks for the description.
    {
      name: 'swagger-when-asked-for',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/relay/(api/openapi/[^/]+|api/pages/api-page|http/responses)\\.ts$',
      },
      to: { path: '@nestjs/swagger' },
    },
    // Likewise: for whoever asks for metrics, or for traces.
    {
      name: 'prom-client-when-asked-for',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/relay/stats/render-metrics\\.ts$' },
      to: { path: 'prom-client' },
    },
    {
      name: 'opentelemetry-when-asked-for',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/relay/tracing/' },
      to: { path: '@opentelemetry' },
    },
    // Likewise, and only a process of its own evaluates what others wrote.
    {
      name: 'jsonata-in-its-process',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/relay/transforms/evaluate\\.ts$' },
      to: { path: 'jsonata' },
    },
    only('protocol-stands-alone', '^src/protocol/', []),
    only('client-stands-alone', '^src/client/', []),
    only('contract-on-protocol', '^src/contract/', ['^src/protocol/']),
    only('sandbox-knows-the-protocol-only', '^src/sandbox/', ['^src/protocol/']),
    only('ground-on-language', '^src/relay/(ground|settings|secrets|filters|database|network|http)/', [
      ...LANGUAGE,
    ]),
    ...Object.entries(DATABASE).map(([part, below]) =>
      only(`database-${part}-downward`.replace(/\W+/g, '-'), inDatabase(part), [
        ...LANGUAGE,
        ...GROUND.filter((folder) => folder !== relay('database')),
        ...below.map(inDatabase),
      ]),
    ),
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
    only('composition-below-cli', '^src/relay/(several-daemons/.+|[^/]+)\\.ts$', [
      ...LANGUAGE,
      '^src/relay/',
    ]),
    {
      name: 'nothing-above-cli-but-main',
      severity: 'error',
      from: { pathNot: '^src/(cli/|main\\.ts)' },
      to: { path: '^src/(cli/|main\\.ts)' },
    },
    // What is said to a hub loads nothing of the daemon, nor zod.
    {
      name: 'remote-commands-stand-alone',
      severity: 'error',
      from: { path: '^src/cli/remote/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/cli/(remote|definitions)/',
          '^src/cli/(command-failed|exit-codes|printable)\\.ts$',
          '^src/contract/',
          '^src/client/',
        ],
      },
    },
    // The start of the program loads all definitions, and nothing that they name.
    {
      name: 'definitions-name-only',
      severity: 'error',
      from: { path: '^src/cli/definitions/' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/cli/definitions/',
          '^src/relay/ground/version\\.ts$',
          '^src/sandbox/quirks/describe-quirks\\.ts$',
        ],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    },
    {
      name: 'clients-import-types-and-constants',
      severity: 'error',
      from: { path: '^(ui|src/cli/remote)/' },
      to: {
        path: '^src/(contract|protocol)/',
        pathNot: CONSTANTS,
        dependencyTypesNot: ['type-only'],
      },
    },
    // These are loaded by the dashboard, which has no use for zod.
    {
      name: 'constants-import-types-only',
      severity: 'error',
      from: { path: CONSTANTS },
      to: { dependencyTypesNot: ['type-only'] },
    },
    ...UI_LAYERS.map((layer, index) =>
      only(`ui-${layer}-downward`, `^ui/src/${layer}/`, [
        ...LANGUAGE,
        ...UI_LAYERS.slice(0, index).map((lower) => `^ui/src/${lower}/`),
      ]),
    ),
    {
      name: 'screens-do-not-share',
      severity: 'error',
      from: { path: '^ui/src/screens/([^/]+)/' },
      to: { path: '^ui/src/screens/', pathNot: '^ui/src/screens/$1/' },
    },
    {
      name: 'alias-for-screens-only',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['aliased-tsconfig-paths'] },
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
