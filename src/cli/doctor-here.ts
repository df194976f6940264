import type { Ledger } from '../contract/ledger';
import { assertFile } from '../relay/database/sqlite/assert-file';
import { systemClock } from '../relay/ground/clock';
import { readDataPaths } from '../relay/settings/read-settings';
import type { CheckResult } from './check-result';
import type { SettingsFlags } from './definitions/settings-flags';
import { runChecks } from './doctor-checks';
import { environmentWith } from './environment';
import type { HubClient } from './remote/hub-client';
import { orCommandFailed } from './startup-failed';

/** The checks of an installation on this machine. */
export const checksHere = (hub: HubClient, flags: SettingsFlags): AsyncGenerator<CheckResult> =>
  runChecks(hub, environmentWith(flags));

/** The consistency check in this process, while no daemon runs. @throws CommandFailed if it cannot run */
export async function checkLedger(flags: SettingsFlags): Promise<Ledger> {
  const { checkLedgerWhileStopped } =
    await import('../relay/diagnostics/ledger/check-ledger-while-stopped.js');
  return orCommandFailed('The consistency check cannot run', () => {
    const paths = readDataPaths(environmentWith(flags));
    assertFile(paths, 'Start the daemon, which then runs the check.');
    return checkLedgerWhileStopped(paths, systemClock);
  });
}
