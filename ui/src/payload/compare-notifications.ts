import { diffJson, type Change } from './diff-json';
import type { Payload } from './payload';

/** What makes each notification one of its own (document, 6.2): told beside the difference, not in it. */
const OWN_FIELDS: ReadonlySet<unknown> = new Set(['event', 'timestamp', 'webhook_id']);

/**
 * What is otherwise in the later of two notifications of one entity. Paths begin in `data`, where the entity stands;
 * `besideData` are those that do not. Null where one of them is no JSON.
 */
export function compareNotifications(
  before: Payload,
  after: Payload,
): { data: Change[]; besideData: Change[] } | null {
  if (before.kind !== 'json' || after.kind !== 'json') return null;
  const changes = diffJson(before.json, after.json);
  return {
    data: changes.filter(inData).map((change) => ({ ...change, path: change.path.slice(1) })),
    besideData: changes.filter((change) => !inData(change) && !isOwn(change)),
  };
}

const inData = ({ path }: Change): boolean => path[0] === 'data' && path.length > 1;

const isOwn = ({ path }: Change): boolean => path.length === 1 && OWN_FIELDS.has(path[0]);
