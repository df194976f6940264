import type { EventType } from '../../protocol/event-types';
import type { PayloadMask } from '../filters/payload-mask';
import type { Role } from './roles';

/** The validated settings. Secrets that are null are generated in `dataDir`. */
export abstract class Settings {
  /** The names of the settings whose value is not the default. */
  abstract readonly changed: readonly string[];
  abstract readonly host: string;
  /** 0 picks a free port. */
  abstract readonly port: number;
  /** Null: `http://localhost:<port>`, known once the daemon listens. Without a trailing slash. */
  abstract readonly publicUrl: string | null;
  abstract readonly dataDir: string;
  /** Of SQLite; not used with PostgreSQL. */
  abstract readonly databaseFile: string;
  /** The address of the database in PostgreSQL, with its password; null: the database is `databaseFile`. */
  abstract readonly postgresUrl: string | null;
  abstract readonly logLevel: string;
  /** The name of the hub in the dashboard; null: see `PublicAddress.hubName`. */
  abstract readonly name: string | null;
  abstract readonly copilot: CopilotSettings;
  /** 32 bytes. */
  abstract readonly secretKey: Buffer | null;
  abstract readonly adminToken: string | null;
  /** Null: only operators may read the metrics. */
  abstract readonly metricsToken: string | null;
  /** The variables `OTEL_…`, for its SDK; null if spans are not recorded. */
  abstract readonly openTelemetry: Readonly<Record<string, string>> | null;
  /** Whether schemas are learned from the payloads. */
  abstract readonly watchesContract: boolean;
  /** What callers without the scope `reveal` do not see of payloads; null: they see everything. */
  abstract readonly mask: PayloadMask | null;
  /** 0 keeps everything. */
  abstract readonly retentionDays: number;
  /** How long an event with a dead letter is kept, if that is longer; 0 keeps it forever. */
  abstract readonly deadLetterDays: number;
  /** How long the last state of an entity is kept after its events; 0 keeps it forever, null not at all. */
  abstract readonly entityDays: number | null;
  /** The maximum size of the database; 0 sets no limit. */
  abstract readonly retentionBytes: number;
  /** Targets created at startup, each once. */
  abstract readonly targets: { name: string; url: string }[];
  /** Their signing secrets, by name. */
  abstract readonly targetSecrets: ReadonlyMap<string, string>;
  abstract readonly bodyLimitBytes: number;
  /** The folder of scheduled backups; null: there are none. */
  abstract readonly backupDir: string | null;
  /** How many scheduled backups are kept. */
  abstract readonly backupKeep: number;
  /** CIDR list of the proxies whose `X-Forwarded-For` or `Forwarded` is trusted. */
  abstract readonly trustedProxies: string[];
  /** The proxies of outgoing connections, as URLs that may contain a password, and the entries of `NO_PROXY`. */
  abstract readonly outgoingProxy: { https: string | null; http: string | null; except: string[] };
  /** How long an idle connection is kept open, in seconds. */
  abstract readonly keepAliveS: number;
  /** The headers, in lower case, in which a trusted proxy names the user and the role; null: there are no users. */
  abstract readonly userHeaders: { user: string; role: string } | null;
  /** The roles by the groups in the second header, see `readRole`. */
  abstract readonly userRoles: ReadonlyMap<string, Role>;
  /** A header that the proxy must send with those, its name in lower case; null: its address is sufficient. */
  abstract readonly userSecret: { name: string; secret: string } | null;
  /**
   * CIDR lists; deny takes precedence. `public` allows everything outside private networks and loopback; `private`
   * allows those.
   */
  abstract readonly targetAllow: string[];
  abstract readonly targetDeny: string[];
  /** Requested every minute while the daemon is healthy; a secret. */
  abstract readonly heartbeatUrl: string | null;
}

export interface CopilotSettings {
  /** Without a trailing slash. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  scopes: string[];
  events: EventType[];
  /** The header checked first; null: learned from notifications. */
  signatureHeader: string | null;
  /** Whether this is the demo's sandbox; never set by the environment. */
  isSandbox: boolean;
}
