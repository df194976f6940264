import { z } from 'zod';

/** Where a secret comes from; the secret itself is never told. */
const secretOrigin = z.enum(['set', 'generated']);

/** What the daemon runs with, and what it takes on disk. */
export const settings = z.object({
  version: z.string(),
  node: z.string(),
  public_url: z.string(),
  host: z.string(),
  port: z.number().int(),
  log_level: z.string(),
  data_dir: z.string(),
  secrets: z.object({
    secret_key: secretOrigin,
    admin_token: secretOrigin,
    copilot_client_secret: secretOrigin,
  }),
  copilot: z.object({
    base_url: z.string(),
    client_id: z.string(),
    scopes: z.array(z.string()),
    events: z.array(z.string()),
    signature_header: z.string().nullable(),
  }),
  body_limit_bytes: z.number().int(),
  /** The names of those that are made at start. */
  targets: z.array(z.string()),
  /** Who may say whom a request comes from; CIDR lists, as those of targets. */
  trusted_proxies: z.array(z.string()),
  target_allow: z.array(z.string()),
  target_deny: z.array(z.string()),
  retention: z.object({
    /** 0: everything is kept. */
    days: z.number().int(),
    /** Of events with dead letters. 0: they are kept for good. */
    dead_letter_days: z.number().int(),
    /** 0: no limit. */
    bytes: z.number().int(),
    running: z.boolean(),
    /** Events, since the start. */
    removed: z.number().int(),
    /** Dead letters that went with them. */
    dead_letters: z.number().int(),
    /** Unfinished deliveries that went with their events for want of room. */
    cancelled: z.number().int(),
  }),
  disk: z.object({
    /** The database with its log. */
    database_bytes: z.number().int(),
    /** Of these, SQLite's log. */
    log_bytes: z.number().int(),
    /** Of the disk that holds `data_dir`. */
    free_bytes: z.number().int(),
    total_bytes: z.number().int(),
  }),
});
export type SettingsView = z.infer<typeof settings>;
