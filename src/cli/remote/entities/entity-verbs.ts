import type { EntityContext, EntityFilters, EntityState } from '../../../contract/entity';
import type { ExportFormat } from '../../../contract/event';
import type { HubFlags } from '../../definitions/hub-flags';
import { confirmReplacing } from '../ask';
import { download } from '../download';
import { writeFacts } from '../facts';
import { textOrFile } from '../files';
import type { HubClient } from '../hub-client';
import { writeItems, type ListFlags } from '../items';
import { writeJson, writeLine, writeTable, type Column } from '../output';
import { parseExact, valueText, writeExact } from './exact-json';

interface AsOfFlags extends HubFlags {
  /** An ISO time, or a `seq`. */
  asOf?: string;
}

interface SelectionFlags extends AsOfFlags {
  kind?: string;
  payload?: string;
  state?: EntityFilters['state'];
  q?: string;
  field?: string[];
}

interface ListedEntity extends EntityState {
  fields?: Record<string, unknown>;
}

const COLUMNS: readonly Column<ListedEntity>[] = [
  { head: 'entity', text: ({ entity }) => entity },
  { head: 'name', text: ({ name }) => name ?? '', isFlexible: true },
  {
    head: 'state',
    text: ({ state }) => state,
    style: ({ state }) => (state === 'deleted' ? 'dim' : undefined),
  },
  { head: 'received', text: ({ received_at: at }) => at },
  { head: 'seq', text: ({ seq }) => String(seq) },
];

/** `entities list`: the newest change first. */
export async function listEntities(
  hub: HubClient,
  flags: SelectionFlags & ListFlags & { count?: true },
): Promise<void> {
  const query = selectionOf(flags);
  if (flags.count) {
    const counted = await hub.request('GET', '/api/v1/entities/count', { query });
    return flags.json
      ? writeJson(counted)
      : writeLine(`${counted.estimated ? 'about ' : ''}${counted.count}`);
  }
  const fields = flags.field?.map((path): Column<ListedEntity> => ({
    head: path,
    text: (one) => valueText(one.fields?.[path] ?? ''),
  }));
  const read = (page: object) =>
    parseExact<{ data: ListedEntity[]; next_cursor: string | null }>(
      hub.requestText('GET', '/api/v1/entities', { query: { ...query, field: flags.field, ...page } }),
    );
  await writeItems(read, [...COLUMNS, ...(fields ?? [])], 'entity that matches', flags, writeExact);
}

/** `entities get`: the state and its record. */
export async function getEntity(hub: HubClient, entity: string, { asOf, json }: AsOfFlags): Promise<void> {
  const options = { path: { entity }, query: pointOf(asOf) };
  const found = await parseExact<EntityState & EntityContext>(
    hub.requestText('GET', '/api/v1/entities/{entity}', options),
  );
  if (json) return writeExact(found);
  writeFacts([
    ['entity', found.entity],
    ['name', found.name],
    ['state', found.state],
    ['updated', found.updated_at],
    ['received', found.received_at],
    ['seq', found.seq],
    ['event', found.event_id],
    ['type', found.event_type],
    ['known from', found.source],
    ['repair', found.repair_id],
  ]);
  await writeLine('');
  await writeTable(RECORD_COLUMNS, Object.entries(found.record));
}

const RECORD_COLUMNS: readonly Column<[name: string, value: unknown]>[] = [
  { head: 'path', text: ([name]) => `data.${name}` },
  { head: 'value', text: ([, value]) => valueText(value), isFlexible: true },
];

/** `entities export`: all that match, each once. */
export async function exportEntities(
  hub: HubClient,
  flags: SelectionFlags & { format: ExportFormat; output?: string; yes?: true },
): Promise<void> {
  const { format, field, output, yes } = flags;
  await confirmReplacing(output, yes);
  const query = { ...selectionOf(flags), format, field };
  await download(await hub.open('/api/v1/entities/export', { query }), output, 'entities');
}

const selectionOf = ({ asOf, kind, payload, state, q }: SelectionFlags) => ({
  kind,
  state,
  q,
  payload: payload === undefined ? undefined : textOrFile(payload),
  ...pointOf(asOf),
});

const pointOf = (asOf: string | undefined) =>
  /^\d+$/.test(asOf ?? '') ? { as_of_seq: Number(asOf) } : { as_of: asOf };
