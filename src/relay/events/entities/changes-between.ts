import type { ValueChange } from '../../../contract/entity';
import { isJsonObject, parseBody } from '../../ground/parse-body';
import type { EntityState } from './entity-states.query';
import { recordChanges } from './record-changes';

type WithBody = Pick<EntityState, 'body'>;

/** How the records of two states differ. @param before null if there was none */
export const changesBetween = (before: WithBody | null, after: WithBody | null): ValueChange[] =>
  recordChanges(recordIn(before), recordIn(after));

function recordIn(state: WithBody | null): unknown {
  const payload = state === null ? undefined : parseBody(state.body);
  return isJsonObject(payload) ? payload['data'] : undefined;
}
