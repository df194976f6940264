import type { Ledger } from '../../../contract/ledger';
import type { Clock } from '../../ground/clock';
import { readStoppedDatabase } from '../../database/read-stopped-database';
import type { Settings } from '../../settings/settings';
import { checkLedger } from './check-ledger';
import { Findings } from './findings';

/**
 * Checks the books of a daemon that does not run. Nothing is stuck there: all that is due goes out with the next start.
 * @throws StartupError as reading a stopped database does
 */
export function checkStoppedLedger(
  places: Pick<Settings, 'dataDir' | 'databaseFile'>,
  clock: Clock,
): Promise<Ledger> {
  return readStoppedDatabase(places, async (read) => {
    const findings = await Findings.begin(read);
    return findings.report(await checkLedger(read, findings), clock.now());
  });
}
