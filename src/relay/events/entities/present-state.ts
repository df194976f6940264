import type { EntityState as PresentedState } from '../../../contract/entity';
import { eventId, type InstanceId } from '../../ground/ids';
import { isoOrNull, toIso } from '../../ground/iso-time';
import { RawJson, withoutMark } from '../../ground/parse-body';
import { sliceMember } from '../../ground/slice-member';
import { MASKED, type PayloadMask } from '../../filters/payload-mask';
import type { EntityState } from './entity-states.query';

/** A state as the API presents it; the record as it was received, since parsing would round numbers. */
export type WrittenState = WrittenHead & { record: RawJson };
type WrittenHead = Omit<PresentedState, 'record'>;

/** Whether an event of this type deleted its entity, or created it. */
export const isDeleted = (type: string) => type.endsWith('.deleted');
export const isCreated = (type: string) => type.endsWith('.created');

/** A state as a caller with this mask may see it. */
export function maskState<State extends Pick<EntityState, 'type' | 'name' | 'body'>>(
  state: State,
  mask: PayloadMask | null,
): State {
  if (mask === null) return state;
  const { type, name, body } = state;
  return {
    ...state,
    name: name !== null && mask.coversName(type) ? MASKED : name,
    body: mask.bodyOf(type, body) ?? body,
  };
}

/** The id of the event that tells a state; null if it was removed. */
export const idOfState = (
  { origin, receivedAt, seq }: Pick<EntityState, 'origin' | 'receivedAt' | 'seq'>,
  instanceId: InstanceId,
) => (origin === null ? eventId(receivedAt, seq, instanceId) : null);

export function presentState(state: EntityState, instanceId: InstanceId): WrittenState {
  const record = Buffer.from(sliceMember(withoutMark(state.body), 'data')!).toString('utf8');
  return { ...presentHead(state, instanceId), record: new RawJson(record) };
}

/** All but the record. */
export function presentHead(state: Omit<EntityState, 'body'>, instanceId: InstanceId): WrittenHead {
  const { entity, name, version, receivedAt, seq, type, origin, repairId } = state;
  const colon = entity.indexOf(':');
  return {
    entity,
    kind: entity.slice(0, colon),
    entity_id: entity.slice(colon + 1),
    name,
    state: isDeleted(type) ? 'deleted' : 'present',
    updated_at: isoOrNull(version),
    received_at: toIso(receivedAt),
    seq,
    event_id: idOfState(state, instanceId),
    event_type: type,
    source: sourceOf(state),
    repair_id: repairId,
    retained: origin === null,
  };
}

function sourceOf({ origin, repairId }: Pick<EntityState, 'origin' | 'repairId'>): PresentedState['source'] {
  if (repairId !== null) return 'synthetic';
  if (origin === null) return 'event';
  return origin === 'baseline' ? 'baseline' : 'floor';
}
