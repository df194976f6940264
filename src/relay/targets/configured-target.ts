import type { TargetCreate } from '../../contract/target';
import { runAsSystem } from '../ground/audit-context';
import { RelayError, StartupError } from '../ground/relay-error';
import type { Settings } from '../settings/settings';

type NewTarget = Omit<TargetCreate, 'backfill_since'>;

/**
 * Creates a target of SWITCHBOARD_TARGETS, with the default settings.
 * @throws StartupError if the entry cannot be used
 */
export async function createConfiguredTarget(
  { name, url }: Settings['targets'][number],
  create: (target: NewTarget) => Promise<unknown>,
): Promise<void> {
  const defaults = { format: 'json', filter: null, enabled: true, policy: {}, tls: null } as const;
  try {
    await runAsSystem({ action: 'target.create' }, () => create({ ...defaults, headers: [], name, url }));
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const { message: what, remedy = 'Correct the entry.' } = error;
    throw new StartupError([{ where: 'SWITCHBOARD_TARGETS', what, remedy }]);
  }
}
