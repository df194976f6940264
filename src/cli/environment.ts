import type { ConfigurationError } from '../relay/ground/relay-error';
import { findDoubtfulSettings } from '../relay/settings/doubtful-settings';
import { readEnvFile } from '../relay/settings/env-file';
import type { Environment } from '../relay/settings/read-settings';
import { KNOWN_NAMES } from '../relay/settings/setting-table';
import { SETTINGS_FLAGS, type SettingsFlags } from './definitions/settings-flags';

/** Flags, the environment, `.env`: the first that names a setting. @throws StartupError if `.env` cannot be read */
export function environmentWith(flags: SettingsFlags): Environment {
  const environment: Record<string, string | undefined> = {
    ...readEnvFile(KNOWN_NAMES).values,
    ...process.env,
  };
  for (const [flag, [, name]] of Object.entries(SETTINGS_FLAGS)) {
    const value = flags[flag as keyof SettingsFlags];
    if (value !== undefined) environment[name] = String(value);
  }
  return environment;
}

/** What is accepted, but probably not meant so. */
export const doubtsAbout = (environment: Environment): ConfigurationError[] => [
  ...readEnvFile(KNOWN_NAMES).doubts,
  ...findDoubtfulSettings(environment),
];
