import { Injectable } from '@nestjs/common';
import type {
  EntityChangesQuery,
  EntityContext,
  EntityQuery,
  PointInTime,
  ValueChange,
} from '../../../contract/entity';
import { Journal } from '../../database/journal/journal';
import type { RequestSignal } from '../../database/reading/reader';
import type { PayloadMask } from '../../filters/payload-mask';
import { RelayError } from '../../ground/relay-error';
import { eventUnknown, EventsService } from '../events.service';
import { AsOfQuery } from './as-of.query';
import { changesBetween } from './changes-between';
import { EntityStatesQuery, isLate, type EntityState } from './entity-states.query';
import { idOfState, maskState, presentState, type WrittenState } from './present-state';

const MAX_CHANGES = 500;

interface Differences {
  changes: ValueChange[];
  truncated: boolean;
}

/** Reads the state of an entity, and what changed in it. Values are for `writeJson`. */
@Injectable()
export class EntitiesService {
  constructor(
    private readonly events: EventsService,
    private readonly states: EntityStatesQuery,
    private readonly points: AsOfQuery,
    private readonly journal: Journal,
  ) {}

  /** @throws RelayError `entity_unknown`, 404; `as_of_before_horizon`, 422 */
  async get(
    entity: string,
    { as_of: at, as_of_seq: seq }: EntityQuery,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ): Promise<WrittenState & EntityContext> {
    const point = await this.points.resolve({ at, seq }, signal);
    const state = await this.states.state(entity, point.seq, signal);
    if (state === null) throw entityUnknown(entity);
    return {
      ...presentState(maskState(state, mask), this.journal.instanceId),
      ...(await this.points.present(point, state.entity.slice(0, state.entity.indexOf(':')), signal)),
    };
  }

  /** How an entity differs between two points in time. @throws as `get` */
  async compare(
    entity: string,
    { from, to }: EntityChangesQuery,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ) {
    const [earlier, later] = await Promise.all([
      this.stateAt(entity, from, mask, signal),
      this.stateAt(entity, to, mask, signal),
    ]);
    if (earlier === null && later === null) throw entityUnknown(entity);
    const { instanceId } = this.journal;
    return {
      from: earlier && presentState(earlier, instanceId),
      to: later && presentState(later, instanceId),
      ...differences(earlier, later),
    };
  }

  /** What an event changed in the record of its entity. @throws RelayError `event_unknown`, 404 */
  async changesOf(id: string, mask: PayloadMask | null, signal: RequestSignal) {
    const event = await this.events.find(id);
    const before = (await this.states.before([event.seq], signal)).get(event.seq);
    if (before === undefined) throw eventUnknown(id);
    const { known, previous, knowledge } = before;
    const idOf = (state: NonNullable<typeof known>) => idOfState(state, this.journal.instanceId);
    const isComparable = event.entity !== null && event.unreadable === null && knowledge !== 'unknown';
    const late = isLate(before);
    return {
      previous_event_id: previous && idOf(previous),
      previous: knowledge,
      late,
      known_event_id: late ? idOf(known!) : null,
      ...(isComparable
        ? differences(previous && maskState(previous, mask), maskState(event, mask))
        : { changes: [], truncated: false }),
    };
  }

  private async stateAt(
    entity: string,
    point: PointInTime | undefined,
    mask: PayloadMask | null,
    signal: RequestSignal,
  ): Promise<EntityState | null> {
    const { seq } = await this.points.resolve(point, signal);
    const state = await this.states.state(entity, seq, signal);
    return state && maskState(state, mask);
  }
}

function differences(...states: Parameters<typeof changesBetween>): Differences {
  const changes = changesBetween(...states);
  return { changes: changes.slice(0, MAX_CHANGES), truncated: changes.length > MAX_CHANGES };
}

const entityUnknown = (entity: string) =>
  new RelayError('entity_unknown', 404, `No state of ${entity} is known for this point in time.`, {
    remedy:
      'GET /api/v1/events?entity= lists the events of an entity; it has a state from the first readable one on.',
  });
