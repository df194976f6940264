import type { Command } from 'commander';

/** Flags that set settings. They take precedence over the environment, which takes precedence over `.env`. */
export const SETTINGS_FLAGS = {
  host: ['--host <address>', 'HOST', 'listen address (default 127.0.0.1)'],
  port: ['--port <number>', 'PORT', 'listen port; 0 picks a free one (default 4000)'],
  publicUrl: ['--public-url <url>', 'PUBLIC_URL', 'URL at which Co-Pilot and browsers reach this daemon'],
  allowHttp: [
    '--allow-http',
    'SWITCHBOARD_ALLOW_HTTP',
    'accept http for Co-Pilot and the public URL, unencrypted: only in a private network',
  ],
  dataDir: ['--data-dir <folder>', 'DATA_DIR', 'folder of the database and generated keys (default ./data)'],
  logLevel: ['--log-level <level>', 'LOG_LEVEL', 'fatal, error, warn, info, debug, trace or silent'],
} as const;

export type SettingsFlag = keyof typeof SETTINGS_FLAGS;

export type SettingsFlags = Partial<Record<Exclude<SettingsFlag, 'allowHttp'>, string> & { allowHttp: true }>;

export function withSettings(command: Command, flags: readonly SettingsFlag[]): Command {
  for (const flag of flags) command.option(SETTINGS_FLAGS[flag][0], SETTINGS_FLAGS[flag][2]);
  return command;
}
