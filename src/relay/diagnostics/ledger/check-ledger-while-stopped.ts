import type { Ledger } from '../../../contract/ledger';
import type { Clock } from '../../ground/clock';
import { readStoppedDatabase } from '../../database/sqlite/read-stopped-database';
import type { Settings } from '../../settings/settings';
import { checkLedger } from './check-ledger';
import { Findings } from './findings';

/**
 * Checks the consistency of a stopped daemon's database. Nothing can be stuck there: what is due is sent at the next
 * start.
 * @throws StartupError see `readStoppedDatabase`
 */
export function checkLedgerWhileStopped(
  paths: Pick<Settings, 'dataDir' | 'databaseFile'>,
  clock: Clock,
): Promise<Ledger> {
  return readStoppedDatabase(paths, async (read) => {
    const findings = await Findings.create(read);
    return findings.report(await checkLedger(read, findings), clock.now());
  });
}
