import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { StartupError, type ConfigurationError } from '../relay/ground/relay-error';
import { findDoubtfulSettings } from '../relay/settings/doubtful-settings';
import { parseEnvFile } from '../relay/settings/env-file';
import type { Environment } from '../relay/settings/read-settings';

/** Flags that set settings. They take precedence over the environment, which takes precedence over `.env`. */
const FLAGS = {
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

type Flag = keyof typeof FLAGS;

export type SettingsFlags = Partial<Record<Exclude<Flag, 'allowHttp'>, string> & { allowHttp: true }>;

export function withSettings(command: Command, flags: readonly Flag[]): Command {
  for (const flag of flags) command.option(FLAGS[flag][0], FLAGS[flag][2]);
  return command;
}

/** @throws StartupError if `.env` cannot be read */
export function environmentWith(flags: SettingsFlags): Environment {
  const environment: Record<string, string | undefined> = {
    ...readEnvFile().values,
    ...process.env,
  };
  for (const [flag, [, name]] of Object.entries(FLAGS) as [Flag, (typeof FLAGS)[Flag]][]) {
    if (flags[flag] !== undefined) environment[name] = String(flags[flag]);
  }
  return environment;
}

/** What is accepted, but probably not meant so. */
export const doubtsAbout = (environment: Environment): ConfigurationError[] => [
  ...readEnvFile().doubts,
  ...findDoubtfulSettings(environment),
];

function readEnvFile() {
  try {
    return parseEnvFile(existsSync('.env') ? readFileSync('.env') : Buffer.alloc(0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // Docker creates a folder in place of a file to mount that is missing.
    const remedy = 'Make it a file that this user may read, or remove it.';
    throw new StartupError([{ where: '.env', what: `The file cannot be read (${code}).`, remedy }], error);
  }
}
