import { StartupError } from '../../../src/relay/ground/relay-error';
import { readSettings, type Environment } from '../../../src/relay/settings/read-settings';

export const REQUIRED = {
  COPILOT_BASE_URL: 'https://copilot.example/api/',
  COPILOT_CLIENT_ID: 'client',
  COPILOT_CLIENT_SECRET: 'client-secret',
};

export const read = (environment: Environment = {}) => readSettings({ ...REQUIRED, ...environment });

/** The settings that are named as wrong. */
export function errorsOf(environment: Environment): string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    for (const { what, remedy } of error.errors) {
      expect(what).toMatch(/\.$/);
      expect(remedy).not.toBe('');
    }
    return error.errors.map(({ where }) => where);
  }
  return [];
}
