import { Like, type DataSource } from 'typeorm';
import { runAsSystem } from '../ground/audit-context';
import type { Journal } from '../database/journal';
import type { Log } from '../ground/log';
import type { Sealer } from '../secrets/sealer';
import { splitCredentials } from './address-credentials';
import { recordOf, settingsColumns } from './target-row';
import { TargetEntity } from './target.entity';

/**
 * Turns what user names and passwords earlier versions took in addresses into secret headers, sealed as those are. They are
 * sent as before: an `authorization` that was there already went before them, and still does.
 * @throws RelayError `storage_failed`
 */
export async function sealCredentials(
  source: DataSource,
  journal: Journal,
  sealer: Sealer,
  log: Log,
): Promise<void> {
  const suspects = await source.getRepository(TargetEntity).find({ where: { url: Like('%@%') } });
  for (const entity of suspects) {
    const split = splitCredentials(entity.url);
    if (split === null) continue;
    const { id, name, headers } = recordOf(entity, sealer);
    const own = headers.some((header) => header.name === 'authorization');
    const added = { name: 'authorization', value: split.authorization, secret: true };
    const columns = settingsColumns({ url: split.url, headers: own ? headers : [...headers, added] }, sealer);
    const assignments = Object.keys(columns).map((column) => `${column} = ?`);
    await runAsSystem({ action: 'target.change', subject: { id, name } }, () =>
      journal.change([
        [`UPDATE targets SET ${assignments.join(', ')} WHERE id = ?`, [...Object.values(columns), id]],
      ]),
    );
    log.info({ target: id, name }, 'user name and password of an address are a secret header now');
  }
}
