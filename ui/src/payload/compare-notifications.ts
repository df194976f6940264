import { diffJson, type Change } from './diff-json';
import type { Payload } from './payload';

/** Fields that differ in every notification (document, 6.2). */
const ENVELOPE_FIELDS: ReadonlySet<unknown> = new Set(['event', 'timestamp', 'webhook_id']);

/**
 * The differences between two notifications of an entity. Paths in `data` are relative to the `data` field;
 * those in `outsideData` are absolute. Null if one of the payloads is not JSON.
 */
export function compareNotifications(
  before: Payload,
  after: Payload,
): { data: Change[]; outsideData: Change[] } | null {
  if (before.kind !== 'json' || after.kind !== 'json') return null;
  const changes = diffJson(before.json, after.json);
  return {
    data: changes.filter(inData).map((change) => ({ ...change, path: change.path.slice(1) })),
    outsideData: changes.filter((change) => !inData(change) && !isEnvelope(change)),
  };
}

const inData = ({ path }: Change): boolean => path[0] === 'data' && path.length > 1;

const isEnvelope = ({ path }: Change): boolean => path.length === 1 && ENVELOPE_FIELDS.has(path[0]);
