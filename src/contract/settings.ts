import { z } from 'zod';

const secretOrigin = z
  .enum(['set', 'generated'])
  .describe('Where a secret comes from. The secret itself is never returned.');

export const settings = z
  .object({
    version: z.string().describe('Of Switchboard.'),
    node: z.string().describe('Version of Node.'),
    name: z.string().describe('The name of the hub in the dashboard.'),
    public_url: z.string().describe('`PUBLIC_URL`.'),
    host: z.string().describe('`HOST`.'),
    port: z.number().int().describe('The port on which it listens.'),
    log_level: z.string().describe('`LOG_LEVEL`.'),
    data_dir: z.string().describe('Absolute path.'),
    changed: z.array(z.string()).describe('The names of the settings whose value is not the default.'),
    secrets: z
      .object({
        secret_key: secretOrigin,
        admin_token: secretOrigin,
        copilot_client_secret: secretOrigin,
        metrics_token: z
          .enum(['set', 'none'])
          .describe('Whether `SWITCHBOARD_METRICS_TOKEN` is set; it is never generated.'),
        heartbeat_url: z.enum(['set', 'none']).describe('Whether `SWITCHBOARD_HEARTBEAT_URL` is set.'),
        auth_secret_header: z
          .enum(['set', 'none'])
          .describe('Whether the header with a secret of the proxy is set.'),
      })
      .describe('Where secrets come from. They are never returned.'),
    copilot: z
      .object({
        base_url: z.string().describe('`COPILOT_BASE_URL`.'),
        client_id: z.string().describe('`COPILOT_CLIENT_ID`.'),
        scopes: z.array(z.string()).describe('Scopes to request (document, 5.5).'),
        events: z.array(z.string()).describe('Event types to subscribe to (document, 6.1).'),
        signature_header: z.string().nullable().describe('The header to check first; null: detected.'),
      })
      .describe('What is known of Co-Pilot.'),
    contract_watch: z.boolean().describe('Whether schemas are learned from the payloads.'),
    mask: z
      .array(z.string())
      .describe('The paths of payload values that are masked without the scope `reveal`.'),
    body_limit_bytes: z.number().int().describe('Larger notifications are rejected with 413.'),
    backup: z
      .object({
        dir: z.string().nullable().describe('The folder of scheduled backups. Null: there are none.'),
        keep: z.number().int().describe('How many of them are kept.'),
      })
      .describe('Scheduled backups.'),
    targets: z.array(z.string()).describe('Names of the targets that are created at startup if missing.'),
    keep_alive_s: z.number().int().describe('How long idle connections are kept open, in seconds.'),
    trusted_proxies: z
      .array(z.string())
      .describe('CIDR ranges of proxies whose `X-Forwarded-For` or `Forwarded` header is trusted.'),
    user_headers: z
      .object({
        user: z.string().describe('The header with the user.'),
        role: z.string().describe('The header with the groups or the role.'),
      })
      .nullable()
      .describe('Headers in which these proxies name the user and the role; null: there are no users.'),
    user_roles: z.record(z.string(), z.string()).describe('The roles by the groups in the second header.'),
    outgoing_proxy: z
      .object({
        https: z.string().nullable().describe('For https; null if there is none.'),
        http: z.string().nullable().describe('For http; null if there is none.'),
        except: z.array(z.string()).describe('What is reached directly.'),
      })
      .describe('The proxies of outgoing connections, without credentials, and what is reached directly.'),
    target_allow: z.array(z.string()).describe('CIDR ranges, `public` or `private`.'),
    target_deny: z.array(z.string()).describe('CIDR ranges, `public` or `private`.'),
    retention: z
      .object({
        days: z.number().int().describe('0: everything is kept.'),
        dead_letter_days: z
          .number()
          .int()
          .describe('For events with dead letters. 0: they are kept forever.'),
        entity_days: z
          .number()
          .int()
          .nullable()
          .describe(
            'For the last states of entities, after their events. 0: they are kept forever, null: not at all.',
          ),
        bytes: z.number().int().describe('Maximum size of the database. 0: no limit.'),
        running: z.boolean().describe('Whether events are being removed now.'),
        removed: z.number().int().describe('Events removed since the start.'),
        dead_letters: z.number().int().describe('Dead letters removed with their events since the start.'),
        cancelled: z
          .number()
          .int()
          .describe(
            'Unfinished deliveries cancelled since the start because their events had to be removed for lack of space.',
          ),
      })
      .describe('What is removed when.'),
    disk: z
      .object({
        database_bytes: z
          .number()
          .int()
          .describe('Size of the database; on SQLite with its write-ahead log.'),
        log_bytes: z.number().int().describe('Size of the write-ahead log of SQLite; 0 on PostgreSQL.'),
        free_bytes: z
          .number()
          .int()
          .nullable()
          .describe('Of the disk that holds the database; null if that is the disk of a server.'),
        total_bytes: z
          .number()
          .int()
          .nullable()
          .describe('The size of that disk; null if that is the disk of a server.'),
      })
      .describe('How much space is used.'),
  })
  .describe('The effective settings of the daemon, and its disk usage.');
export type SettingsView = z.infer<typeof settings>;
