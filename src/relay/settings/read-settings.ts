import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { EventType } from '../../protocol/event-types';
import { SCOPE_OF_EVENT } from '../../protocol/scopes';
import { StartupError, type ConfigurationError } from '../ground/relay-error';
import { decodeText } from './decode-text';
import { isLoopbackName } from './loopback';
import { findConflicts, type Texts } from './setting-conflicts';
import { SECRET_NAMES, SETTINGS, type SettingName } from './setting-table';
import type { Settings } from './settings';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The addresses allowed by default while the daemon listens on loopback only. If others can reach it, its users could
 * use targets to send requests into internal networks.
 */
const ANY_ADDRESS = ['0.0.0.0/0', '::/0'];

/**
 * Validates the environment.
 * @throws StartupError with every error, each with a sentence and a remedy
 */
export function readSettings(environment: Environment, { isSandbox = false } = {}): Settings {
  const values = parse(environment, Object.keys(SETTINGS) as SettingName[]);
  return {
    changed: changedIn(values),
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL,
    ...dataPaths(values),
    logLevel: values.LOG_LEVEL,
    name: values.SWITCHBOARD_NAME,
    copilot: {
      baseUrl: values.COPILOT_BASE_URL,
      clientId: values.COPILOT_CLIENT_ID,
      clientSecret: values.COPILOT_CLIENT_SECRET,
      scopes: values.COPILOT_SCOPES ?? scopesFor(values.COPILOT_EVENTS),
      events: values.COPILOT_EVENTS,
      signatureHeader: values.COPILOT_SIGNATURE_HEADER,
      isSandbox,
    },
    secretKey: values.SWITCHBOARD_SECRET_KEY,
    adminToken: values.SWITCHBOARD_ADMIN_TOKEN,
    metricsToken: values.SWITCHBOARD_METRICS_TOKEN,
    openTelemetry: openTelemetryVariables(environment),
    retentionDays: values.SWITCHBOARD_RETENTION_DAYS,
    deadLetterDays: values.SWITCHBOARD_DEAD_LETTER_DAYS,
    entityDays: values.SWITCHBOARD_ENTITY_DAYS,
    retentionBytes: values.SWITCHBOARD_RETENTION_BYTES,
    watchesContract: values.SWITCHBOARD_CONTRACT_WATCH === 'on',
    mask: values.SWITCHBOARD_MASK,
    targets: values.SWITCHBOARD_TARGETS,
    targetSecrets: values.SWITCHBOARD_TARGET_SECRETS,
    bodyLimitBytes: values.SWITCHBOARD_BODY_LIMIT_BYTES,
    backupDir: values.SWITCHBOARD_BACKUP_DIR,
    backupKeep: values.SWITCHBOARD_BACKUP_KEEP,
    trustedProxies: values.SWITCHBOARD_TRUSTED_PROXIES,
    keepAliveS: values.SWITCHBOARD_KEEP_ALIVE_S,
    userHeaders: userHeadersOf(values),
    userRoles: values.SWITCHBOARD_AUTH_ROLES,
    userSecret: values.SWITCHBOARD_AUTH_SECRET_HEADER,
    outgoingProxy: { https: values.HTTPS_PROXY, http: values.HTTP_PROXY, except: values.NO_PROXY },
    targetAllow: values.SWITCHBOARD_TARGET_ALLOW ?? (isLoopbackName(values.HOST) ? ANY_ADDRESS : ['public']),
    targetDeny: values.SWITCHBOARD_TARGET_DENY,
    heartbeatUrl: values.SWITCHBOARD_HEARTBEAT_URL,
  };
}

/**
 * The paths of the data: enough to read a stopped daemon's database without the other settings.
 * @throws StartupError like `readSettings`, for these settings only
 */
export const readDataPaths = (environment: Environment) =>
  dataPaths(parse(environment, ['DATA_DIR', 'DATABASE_URL']));

/**
 * What the restore of a backup needs.
 * @throws StartupError like `readSettings`, for these settings only
 */
export function readRestoreSettings(environment: Environment) {
  const values = parse(environment, ['DATA_DIR', 'DATABASE_URL', 'SWITCHBOARD_SECRET_KEY']);
  return { ...dataPaths(values), secretKey: values.SWITCHBOARD_SECRET_KEY };
}

type Values<Name extends SettingName> = { [Key in Name]: z.infer<(typeof SETTINGS)[Key]['schema']> };

/** @throws StartupError with every error */
function parse<Name extends SettingName>(environment: Environment, names: readonly Name[]): Values<Name> {
  const { texts, errors } = readTexts(environment, names);
  const shape = Object.fromEntries(names.map((name) => [name, SETTINGS[name].schema]));
  const parsed = z.object(shape).safeParse(texts);
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    const remedy = String((issue as z.core.$ZodIssueCustom).params?.['remedy']);
    errors.push({ where: name, what: `${name} ${issue.message}`, remedy });
  }
  errors.push(...findConflicts(texts));
  if (!parsed.success || errors.length > 0) throw new StartupError(errors);
  return parsed.data as Values<Name>;
}

/**
 * The text of each setting, undefined if it is not set. Every secret can also be read from a file named by
 * `<NAME>_FILE`.
 */
function readTexts(environment: Environment, names: readonly SettingName[]) {
  const texts: Texts = {};
  for (const name of names) {
    // Most programs also accept the names of the proxy variables in lower case.
    const text = environment[name] ?? (name.endsWith('_PROXY') ? environment[name.toLowerCase()] : undefined);
    texts[name] = text?.trim() || undefined;
  }
  const errors: ConfigurationError[] = [];
  for (const name of names.filter((one) => SECRET_NAMES.includes(one))) {
    const file = environment[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (texts[name] !== undefined) {
      errors.push({
        where: name,
        what: `${name} and ${name}_FILE are both set.`,
        remedy: 'Set only one of them.',
      });
      continue;
    }
    try {
      const content = decodeText(readFileSync(file)).trim();
      texts[name] = content || undefined;
      if (/^$|[\r\n\0\uFFFD]/.test(content))
        errors.push({
          where: `${name}_FILE`,
          what: `${file} does not hold one line of text.`,
          remedy: `Write the value of ${name} to it, and nothing else.`,
        });
    } catch (error) {
      errors.push({
        where: `${name}_FILE`,
        what: `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
        remedy: 'Check its path and permissions.',
      });
    }
  }
  return { texts, errors };
}

/** A required setting has no default. */
function changedIn(values: Values<SettingName>): string[] {
  const names = Object.keys(SETTINGS) as SettingName[];
  return names.filter(
    (name) => !isDeepStrictEqual(values[name], SETTINGS[name].schema.safeParse(undefined).data),
  );
}

const dataPaths = ({ DATA_DIR, DATABASE_URL }: Values<'DATA_DIR' | 'DATABASE_URL'>) => ({
  dataDir: DATA_DIR,
  databaseFile: DATABASE_URL?.file ?? join(DATA_DIR, 'switchboard.db'),
  postgresUrl: DATABASE_URL?.postgresUrl ?? null,
});

const userHeadersOf = ({
  SWITCHBOARD_AUTH_USER_HEADER: user,
  SWITCHBOARD_AUTH_ROLE_HEADER: role,
}: Values<SettingName>) => (user === null || role === null ? null : { user, role });

const scopesFor = (events: EventType[]) => [
  ...new Set(['webhooks', ...events.map((type) => SCOPE_OF_EVENT[type])]),
];

/** The standard variables of OpenTelemetry that are set; null unless they ask for traces. */
function openTelemetryVariables(environment: Environment): Record<string, string> | null {
  const variables: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(environment))
    if (name.startsWith('OTEL_') && value !== '') variables[name] = value;
  const hasReceiver =
    'OTEL_EXPORTER_OTLP_ENDPOINT' in variables || 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' in variables;
  const isOff =
    variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || variables['OTEL_TRACES_EXPORTER'] === 'none';
  return hasReceiver && !isOff ? variables : null;
}
