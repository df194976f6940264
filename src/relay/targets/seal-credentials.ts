import { Like, type DataSource } from 'typeorm';
import { runAsSystem } from '../ground/audit-context';
import type { Journal } from '../database/journal/journal';
import { update } from '../database/journal/statements';
import type { Log } from '../ground/log';
import type { Sealer } from '../secrets/sealer';
import { splitCredentials } from './address-credentials';
import { recordOf, settingsColumns } from './target-row';
import { TargetEntity } from './target.entity';

/**
 * Converts user names and passwords in URLs, which earlier versions accepted, to encrypted secret headers. An
 * existing `authorization` header keeps precedence over them, as before.
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
    const hasHeader = headers.some((header) => header.name === 'authorization');
    const added = { name: 'authorization', value: split.authorization, secret: true };
    const columns = settingsColumns(
      { url: split.url, headers: hasHeader ? headers : [...headers, added] },
      sealer,
    );
    await runAsSystem({ action: 'target.change', subject: { id, name } }, () =>
      journal.change({ statements: [update('targets', id, columns)] }),
    );
    log.info({ target: id, name }, 'credentials in the URL converted to a secret header');
  }
}
