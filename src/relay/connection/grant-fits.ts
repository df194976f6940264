import type { DataSource } from 'typeorm';
import { StartupError } from '../ground/relay-error';
import type { CopilotSettings } from '../settings/settings';
import { GrantEntity } from './grant.entity';

/**
 * Holds the stored grant against the settings: its tokens must not be sent to another service or for another client.
 * @throws StartupError when the grant belongs to another COPILOT_BASE_URL or COPILOT_CLIENT_ID
 */
export async function assertGrantFits(
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
    .map(({ where, stored: of, given }) => ({
      where,
      what: `The stored grant belongs to ${of}, and ${where} is ${given}.`,
      remedy: 'Set it back, or give another DATA_DIR; with another service or client everything begins anew.',
    }));
  if (faults.length > 0) throw new StartupError(faults);
}
