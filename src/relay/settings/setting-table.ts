import { z } from 'zod';
import { EVENT_TYPES } from '../../protocol/event-types';
import { DENIED_RANGES } from '../../contract/denied-ranges';
import { ROLES_BY_NAME } from './roles';
import { mask } from './mask-setting';
import * as schemas from './setting-schemas';

interface Setting {
  /** As the documentation shows it, in Markdown. */
  default: string;
  /** In Markdown. */
  meaning: string;
  /** The value is never shown, and can also be read from the file named by `<NAME>_FILE`. */
  isSecret?: true;
  /** Parses the text; undefined if the setting is not set. See setting-schemas.ts. */
  schema: z.ZodType<unknown, string | undefined>;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const integer = (meaning: string, value: number, schema: z.ZodType<number, string>) => ({
  default: `\`${value}\``,
  meaning,
  schema: schema.default(value),
});

/** All settings by their names in the environment. The table in docs/settings.md is checked against this one. */
export const SETTINGS = {
  COPILOT_BASE_URL: {
    default: '–',
    meaning: 'base URL of the Co-Pilot service; required',
    schema: schemas.required(schemas.address, 'Set it to the base URL of the Co-Pilot service.'),
  },
  COPILOT_CLIENT_ID: {
    default: '–',
    meaning: 'Client ID of your application at Co-Pilot; required',
    schema: schemas.required(
      schemas.text,
      'Create an application in the developer panel and set its Client ID.',
    ),
  },
  COPILOT_CLIENT_SECRET: {
    default: '–',
    meaning: 'its Client Secret; required',
    isSecret: true,
    schema: schemas.required(
      schemas.text,
      'Set the Client Secret, or the path of its file as COPILOT_CLIENT_SECRET_FILE.',
    ),
  },
  PUBLIC_URL: {
    default: '`http://localhost:<PORT>`',
    meaning: 'where Co-Pilot and browsers reach the daemon; https unless loopback',
    schema: schemas.optional(schemas.address),
  },
  SWITCHBOARD_ALLOW_HTTP: {
    default: '`false`',
    meaning:
      'accepts http for the two addresses above beyond loopback, [unencrypted](security.md#your-responsibilities)',
    schema: schemas.flag.default(false),
  },
  HOST: {
    default: '`127.0.0.1`',
    meaning: 'address on which the daemon listens',
    schema: schemas.text.default('127.0.0.1'),
  },
  PORT: integer('port; 0 picks a free one', 4_000, schemas.integerBetween(0, 65_535)),
  DATA_DIR: {
    default: '`./data`',
    meaning: 'folder of the database and generated keys',
    schema: schemas.path.prefault('data'),
  },
  DATABASE_URL: {
    default: '`sqlite:<DATA_DIR>/switchboard.db`',
    meaning: 'the database: a file, or `postgres://<user>:<password>@<host>/<database>`',
    isSecret: true,
    schema: schemas.optional(schemas.databaseUrl),
  },
  LOG_LEVEL: {
    default: '`info`',
    meaning: 'JSON logs; readable text on a terminal',
    schema: schemas.oneOf(LOG_LEVELS).default('info'),
  },
  SWITCHBOARD_NAME: {
    default: 'host of `PUBLIC_URL`',
    meaning: 'the name of the hub in the dashboard; visible before signing in',
    schema: schemas.optional(schemas.shortText(60)),
  },
  COPILOT_SCOPES: {
    default: '`webhooks` and the scopes of the events',
    meaning: 'comma-separated',
    schema: schemas.optional(schemas.list),
  },
  COPILOT_EVENTS: {
    default: 'all ten',
    meaning: 'comma-separated event types',
    schema: schemas.eventTypes.default([...EVENT_TYPES]),
  },
  COPILOT_SIGNATURE_HEADER: {
    default: 'detected',
    meaning: 'the signature header to check first',
    schema: schemas.optional(schemas.text.toLowerCase()),
  },
  SWITCHBOARD_SECRET_KEY: {
    default: 'generated in `DATA_DIR/secret.key`',
    meaning: '32 bytes in base64; encrypts tokens and secrets at rest',
    isSecret: true,
    schema: schemas.optional(schemas.secretKey),
  },
  SWITCHBOARD_ADMIN_TOKEN: {
    default: 'generated in `DATA_DIR/admin.token`',
    meaning: 'bearer token for the API, login for the dashboard',
    isSecret: true,
    schema: schemas.optional(schemas.token),
  },
  SWITCHBOARD_METRICS_TOKEN: {
    default: '–',
    meaning: 'bearer token for `GET /metrics` alone',
    isSecret: true,
    schema: schemas.optional(schemas.token),
  },
  SWITCHBOARD_RETENTION_DAYS: integer(
    '0 keeps everything; an event with an unfinished delivery is kept',
    30,
    schemas.days,
  ),
  SWITCHBOARD_DEAD_LETTER_DAYS: integer(
    'how long an event with a dead letter is kept; 0 keeps it forever',
    90,
    schemas.days,
  ),
  SWITCHBOARD_ENTITY_DAYS: {
    default: '`365`',
    meaning:
      'how long the [last state](entities.md) of a deal or contact is kept after its last change, when its events are removed; 0 keeps it forever, `off` not at all',
    schema: schemas.daysOrOff.default(365),
  },
  SWITCHBOARD_RETENTION_BYTES: integer(
    'maximum database size, 0 for no limit; above it the oldest finished events are removed, then the oldest',
    0,
    schemas.databaseBytes,
  ),
  SWITCHBOARD_CONTRACT_WATCH: {
    default: '`on`',
    meaning: '`off` learns no [schemas](data.md#schemas) from the payloads',
    schema: schemas.oneOf(['on', 'off']).default('on'),
  },
  SWITCHBOARD_MASK: {
    default: '–',
    meaning: '`path` or `type:path`, comma-separated: payload values to [mask](security.md#masked-values)',
    schema: schemas.optional(mask),
  },
  SWITCHBOARD_TARGETS: {
    default: '–',
    meaning: '`name=url,…`: targets to create at startup, [each once](targets.md#targets-of-the-settings)',
    schema: schemas.targets.default([]),
  },
  SWITCHBOARD_TARGET_SECRETS: {
    default: 'random',
    meaning: '`name=whsec_…,…`: signing secrets for the targets above, used when they are created',
    isSecret: true,
    schema: schemas.targetSecrets.default(new Map()),
  },
  SWITCHBOARD_BODY_LIMIT_BYTES: integer(
    'larger notifications are rejected with 413',
    8_388_608,
    schemas.integerBetween(1_024, 67_108_864),
  ),
  SWITCHBOARD_BACKUP_DIR: {
    default: '–',
    meaning: 'existing folder for a backup every 24 hours ([backup](operations.md#backup))',
    schema: schemas.optional(schemas.path),
  },
  SWITCHBOARD_BACKUP_KEEP: integer(
    'how many scheduled backups are kept; older ones are removed',
    7,
    schemas.integerBetween(1, 1_000),
  ),
  SWITCHBOARD_TRUSTED_PROXIES: {
    default: 'none',
    meaning: 'CIDR list of proxies whose `X-Forwarded-For` or `Forwarded` header is trusted',
    schema: schemas.ranges().default([]),
  },
  SWITCHBOARD_KEEP_ALIVE_S: integer(
    'how long idle connections stay open: longer than those of the proxy ([behind a proxy](operations.md#behind-a-proxy))',
    72,
    schemas.integerBetween(1, 3_600),
  ),
  SWITCHBOARD_AUTH_USER_HEADER: {
    default: '–',
    meaning: 'header in which a trusted proxy names the [user](security.md#users-of-a-proxy)',
    schema: schemas.optional(schemas.proxyHeader),
  },
  SWITCHBOARD_AUTH_ROLE_HEADER: {
    default: '–',
    meaning: 'header in which it names the role: `viewer`, `operator` or `admin`, or groups',
    schema: schemas.optional(schemas.proxyHeader),
  },
  SWITCHBOARD_AUTH_ROLES: {
    default: 'the roles themselves',
    meaning: '`group=role,…`: the [roles of groups](security.md#users-of-a-proxy) in that header',
    schema: schemas.groupRoles.default(ROLES_BY_NAME),
  },
  SWITCHBOARD_AUTH_SECRET_HEADER: {
    default: '–',
    meaning: '`<name>: <secret>`, a header that the proxy must send with them',
    isSecret: true,
    schema: schemas.optional(schemas.secretHeader),
  },
  HTTPS_PROXY: {
    default: '–',
    meaning: '[proxy](security.md#outgoing-proxy) for connections to https addresses, Co-Pilot’s among them',
    isSecret: true,
    schema: schemas.optional(schemas.proxyAddress),
  },
  HTTP_PROXY: {
    default: '–',
    meaning: 'the same for http addresses',
    isSecret: true,
    schema: schemas.optional(schemas.proxyAddress),
  },
  NO_PROXY: {
    default: '–',
    meaning:
      'names with their subdomains, addresses (`10.*`) or CIDR ranges to reach directly, or `*`; loopback always is',
    schema: schemas.proxyExceptions.default([]),
  },
  SWITCHBOARD_TARGET_ALLOW: {
    default: 'all if `HOST` is loopback, else `public`',
    meaning: 'allowed target addresses: CIDR ranges, `public`, `private` ([targets](targets.md))',
    schema: schemas.optional(schemas.ranges('public', 'private')),
  },
  SWITCHBOARD_TARGET_DENY: {
    default: Object.keys(DENIED_RANGES).join(', '),
    meaning: 'CIDR ranges that targets must not use; deny takes precedence',
    schema: schemas.ranges().default(Object.values(DENIED_RANGES).flat()),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '–',
    meaning: 'where to send [spans](reference.md#traces), with the other standard variables of OpenTelemetry',
    schema: schemas.optional(schemas.receiverUrl),
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    default: '`http/json`',
    meaning: 'the only supported protocol',
    schema: schemas.oneOf(['http/json']).default('http/json'),
  },
  SWITCHBOARD_HEARTBEAT_URL: {
    default: '–',
    meaning: 'URL of a monitor, requested every minute while healthy ([alerts](alerts.md#heartbeat))',
    isSecret: true,
    schema: schemas.optional(schemas.heartbeatUrl),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

export const SECRET_NAMES = Object.entries<Setting>(SETTINGS)
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => name as SettingName);

/** All names that settings are read from. */
export const KNOWN_NAMES: readonly string[] = [
  ...Object.keys(SETTINGS),
  ...SECRET_NAMES.map((name) => `${name}_FILE`),
];
