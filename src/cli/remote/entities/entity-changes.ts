import type { ChangedEntity, ValueChange } from '../../../contract/entity';
import { invalidCommandLine } from '../../command-failed';
import { textOrFile } from '../files';
import type { HubClient } from '../hub-client';
import { writeItems, type ListFlags } from '../items';
import { note, writeTable, type Column } from '../output';
import { parseExact, valueText, writeExact } from './exact-json';

interface ChangesFlags extends ListFlags {
  /** An ISO time, or a `seq`. */
  from: string;
  to?: string;
  kind?: string;
  payload?: string;
}

const COLUMNS: readonly Column<ChangedEntity>[] = [
  { head: 'entity', text: ({ entity }) => entity },
  { head: 'name', text: ({ name }) => name ?? '' },
  { head: 'change', text: ({ change }) => change.replace('_', ' ') },
  {
    head: 'changes',
    text: ({ changes }) =>
      changes
        .map(({ path, before, after }) => `${path}: ${valueText(before)} → ${valueText(after)}`)
        .join(', '),
    isFlexible: true,
  },
];

const VALUE_COLUMNS: readonly Column<ValueChange>[] = [
  { head: 'path', text: ({ path }) => path },
  { head: 'before', text: ({ before }) => valueText(before) },
  { head: 'after', text: ({ after }) => valueText(after), isFlexible: true },
];

/** `entities changes`: of all entities, or of one. */
export async function listChanges(
  hub: HubClient,
  entity: string | undefined,
  flags: ChangesFlags,
): Promise<void> {
  const { from, to, kind, payload } = flags;
  if (entity !== undefined) return compareEntity(hub, entity, flags);
  const query = { from, to, kind, payload: payload === undefined ? undefined : textOrFile(payload) };
  const read = (page: object) =>
    parseExact<{ data: ChangedEntity[]; next_cursor: string | null }>(
      hub.requestText('GET', '/api/v1/entities/changes', { query: { ...query, ...page } }),
    );
  await writeItems(read, COLUMNS, 'entity that differs', flags, writeExact);
}

async function compareEntity(
  hub: HubClient,
  entity: string,
  { from, to, kind, payload, limit, all, json }: ChangesFlags,
): Promise<void> {
  if ([kind, payload, limit, all].some((flag) => flag !== undefined))
    throw invalidCommandLine(
      'One entity is compared as a whole.',
      'Leave out --kind, --payload, --limit and --all.',
    );
  const options = { path: { entity }, query: { from, to } };
  const found = await parseExact<{ changes: ValueChange[]; truncated: boolean }>(
    hub.requestText('GET', '/api/v1/entities/{entity}/changes', options),
  );
  if (json) return writeExact(found);
  if (found.changes.length === 0) note(`Nothing of ${entity} differs.`);
  else await writeTable(VALUE_COLUMNS, found.changes);
  if (found.truncated) note(`The first ${found.changes.length} differences are shown.`);
}
