import type { Outage } from '../../contract/outage';
import type { EventType } from '../../protocol/event-types';
import { ownIdentity } from '../database/journal/identity';
import type { EventDraft } from '../database/journal/journal';
import type { EntityState } from '../events/entities/entity-states.query';
import { toIso } from '../ground/iso-time';
import { isJsonObject, parseBody, RawJson, writeJson } from '../ground/parse-body';
import { readTime } from '../ground/read-time';
import { recordName } from '../ground/record-name';
import { dealChanges } from './compare-deal';
import type { RepairItemRow, RepairRow } from './repair-row';

/** What changes with every change. */
const VERSION_PATH = 'data.updated_at';
const STATUS_PATH = 'data.status_id';

type Item = Pick<RepairItemRow, 'entity' | 'action' | 'version' | 'record'>;

/**
 * The types of the events that a deal which differs stands for.
 * @param state what is known of it; null if nothing is, or only that it was deleted
 */
export function eventTypesOf(
  { action, record }: Pick<Item, 'action' | 'record'>,
  state: Pick<EntityState, 'body'> | null,
  outages: readonly Outage[],
): EventType[] {
  if (action === 'absent') return ['deal.deleted'];
  const deal = parseBody(record);
  if (action === 'missing') return [wasCreatedIn(deal, outages) ? 'deal.created' : 'deal.updated'];
  const paths = dealChanges(state, deal).map(({ path }) => path);
  const isMoved = paths.includes(STATUS_PATH);
  const isUpdated = paths.some((path) => path !== STATUS_PATH && path !== VERSION_PATH) || !isMoved;
  return [
    ...(isMoved ? (['deal.status_changed'] as const) : []),
    ...(isUpdated ? (['deal.updated'] as const) : []),
  ];
}

function wasCreatedIn(deal: unknown, outages: readonly Outage[]): boolean {
  const createdAt = isJsonObject(deal) ? deal['created_at'] : null;
  const at = typeof createdAt === 'string' ? readTime(createdAt) : null;
  return (
    at !== null &&
    outages.some(
      ({ began_at: began, ended_at: ended }) =>
        at >= Date.parse(began) && (ended === null || at <= Date.parse(ended)),
    )
  );
}

/**
 * An event that says what a repair has found. It is not signed: its repair takes the place of the signature. Stored again,
 * it is a duplicate.
 */
export function syntheticEvent(
  repair: Pick<RepairRow, 'id' | 'read_at' | 'outage_ids' | 'target_ids'>,
  { entity, version, record }: Item,
  type: EventType,
  { webhookId, now }: { webhookId: string | null; now: number },
): { draft: EventDraft; content: unknown } {
  const readAt = repair.read_at!;
  const body = Buffer.from(
    writeJson({
      event: type,
      timestamp: toIso(readAt),
      webhook_id: webhookId,
      data: new RawJson(Buffer.from(record).toString('utf8')),
      switchboard: {
        synthetic: true,
        repair_id: repair.id,
        read_at: toIso(readAt),
        outage_ids: repair.outage_ids,
        ...(repair.target_ids !== null && { target_ids: repair.target_ids }),
      },
    }),
  );
  const draft: EventDraft = {
    type,
    entity,
    name: recordName(parseBody(record)),
    occurredAt: readAt,
    receivedAt: now,
    webhookId,
    contentType: 'application/json',
    headers: [],
    body,
    signatureHeader: '',
    signatureValue: repair.id,
    unreadable: null,
    version,
    identity: ownIdentity(`synthetic ${repair.id} ${entity} ${type} ${version}`),
  };
  return { draft, content: parseBody(body) };
}
