import { z } from 'zod';

/** Where a secret comes from. The secret itself is never returned. */
const secretOrigin = z.enum(['set', 'generated']);

/** The effective settings of the daemon, and its disk usage. */
export const settings = z.object({
  /** Of Switchboard. */
  version: z.string(),
  /** Version of Node. */
  node: z.string(),
  /** The name of the hub in the dashboard. */
  name: z.string(),
  /** `PUBLIC_URL`. */
  public_url: z.string(),
  host: z.string(),
  port: z.number().int(),
  log_level: z.string(),
  /** Absolute path. */
  data_dir: z.string(),
  secrets: z.object({
    secret_key: secretOrigin,
    admin_token: secretOrigin,
    copilot_client_secret: secretOrigin,
    /** Whether `SWITCHBOARD_METRICS_TOKEN` is set; it is never generated. */
    metrics_token: z.enum(['set', 'none']),
    /** Whether `SWITCHBOARD_HEARTBEAT_URL` is set. */
    heartbeat_url: z.enum(['set', 'none']),
    auth_secret_header: z.enum(['set', 'none']),
  }),
  copilot: z.object({
    base_url: z.string(),
    client_id: z.string(),
    /** Scopes to request (document, 5.5). */
    scopes: z.array(z.string()),
    /** Event types to subscribe to (document, 6.1). */
    events: z.array(z.string()),
    /** The header to check first; null: detected. */
    signature_header: z.string().nullable(),
  }),
  /** Larger notifications are rejected with 413. */
  body_limit_bytes: z.number().int(),
  backup: z.object({
    /** The folder of scheduled backups. Null: there are none. */
    dir: z.string().nullable(),
    /** How many of them are kept. */
    keep: z.number().int(),
  }),
  /** Names of the targets that are created at startup if missing. */
  targets: z.array(z.string()),
  /** How long idle connections are kept open, in seconds. */
  keep_alive_s: z.number().int(),
  /** CIDR ranges of proxies whose `X-Forwarded-For` or `Forwarded` header is trusted. */
  trusted_proxies: z.array(z.string()),
  /** Headers in which these proxies name the user and the role; null: there are no users. */
  user_headers: z.object({ user: z.string(), role: z.string() }).nullable(),
  /** The roles by the groups in the second header. */
  user_roles: z.record(z.string(), z.string()),
  /** The proxies of outgoing connections, without credentials, and what is reached directly. */
  outgoing_proxy: z.object({
    https: z.string().nullable(),
    http: z.string().nullable(),
    except: z.array(z.string()),
  }),
  /** CIDR ranges, `public` or `private`. */
  target_allow: z.array(z.string()),
  target_deny: z.array(z.string()),
  retention: z.object({
    /** 0: everything is kept. */
    days: z.number().int(),
    /** For events with dead letters. 0: they are kept forever. */
    dead_letter_days: z.number().int(),
    /** Maximum size of the database. 0: no limit. */
    bytes: z.number().int(),
    /** Whether events are being removed now. */
    running: z.boolean(),
    /** Events removed since the start. */
    removed: z.number().int(),
    /** Dead letters removed with their events since the start. */
    dead_letters: z.number().int(),
    /** Unfinished deliveries cancelled since the start because their events had to be removed for lack of space. */
    cancelled: z.number().int(),
  }),
  disk: z.object({
    /** Size of the database including its write-ahead log. */
    database_bytes: z.number().int(),
    /** Size of the write-ahead log. */
    log_bytes: z.number().int(),
    /** Of the disk that holds the database; null if that is the disk of a server. */
    free_bytes: z.number().int().nullable(),
    total_bytes: z.number().int().nullable(),
  }),
});
export type SettingsView = z.infer<typeof settings>;
