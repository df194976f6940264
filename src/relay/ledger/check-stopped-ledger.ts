import type { Ledger } from '../../contract/ledger';
import type { Clock } from '../clock';
import { readStoppedDatabase } from '../database/read-stopped-database';
import type { Settings } from '../settings/settings';
import { checkLedger } from './check-ledger';
import { Findings } from './findings';

/**
 * Checks the books of a daemon that does not run. Nothing is stuck there: all that is due goes out with the next start.
 * @throws StartRefused as reading a stopped database does
 */
export function checkStoppedLedger(settings: Settings, clock: Clock): Promise<Ledger> {
  return readStoppedDatabase(settings, async (read) => {
    const findings = new Findings();
    return findings.report(await checkLedger(read, findings), clock.now());
  });
}
