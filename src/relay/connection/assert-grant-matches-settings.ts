import type { DataSource } from 'typeorm';
import { StartupError } from '../ground/relay-error';
import type { CopilotSettings } from '../settings/settings';
import { GrantEntity } from './grant.entity';

/**
 * Checks the stored grant against the settings: its tokens must not be sent to another service or for
 * another client.
 * @throws StartupError when the grant belongs to another COPILOT_BASE_URL or COPILOT_CLIENT_ID
 */
export async function assertGrantMatchesSettings(
  source: DataSource,
  { baseUrl, clientId }: CopilotSettings,
): Promise<void> {
  const stored = await source.getRepository(GrantEntity).findOneBy({ id: 1 });
  if (stored === null) return;
  const faults = [
    { where: 'COPILOT_BASE_URL', stored: stored.baseUrl, given: baseUrl },
    { where: 'COPILOT_CLIENT_ID', stored: stored.clientId, given: clientId },
  ]
    .filter((setting) => setting.stored !== setting.given)
    .map(({ where, stored: of, given: configured }) => ({
      where,
      what: `The stored grant belongs to ${of}, and ${where} is ${configured}.`,
      remedy: 'Restore the setting, or use another DATA_DIR: another service or client needs a new database.',
    }));
  if (faults.length > 0) throw new StartupError(faults);
}
