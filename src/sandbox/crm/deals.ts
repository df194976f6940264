import type { Deal } from '../../protocol/shapes';
import { pickOne, randomBelow } from '../random';
import type { Contacts } from './contacts';
import { DEAL_SUBJECTS } from './sample-data';
import { CLOSED_STATUSES, PIPELINES, isOpenStatus, nextStatus, statusesOf } from './pipelines';
import { LinkedRecords } from './linked-records';
import type { RecordFactory } from './record-factory';
import type { StoredDeal } from './records';

/** Fields that may be given for a deal; missing ones are generated. */
type DealFields = Partial<Omit<StoredDeal, 'id' | 'created_at' | 'updated_at'>>;

const isOpen = (deal: StoredDeal): boolean => isOpenStatus(deal.status_id);
const isClosed = (deal: StoredDeal): boolean => !isOpen(deal);

/** The deals of the simulated account, each with the company of one of its contacts. */
export class Deals extends LinkedRecords<StoredDeal> {
  constructor(
    factory: RecordFactory,
    private readonly contacts: Contacts,
  ) {
    super('deals', factory);
  }

  /** A random deal if there is none with this id; created if there is none at all. */
  findOrAny(id: number | undefined): Deal {
    const deal = this.records.find(id) ?? this.records.pick();
    return deal ? this.withLink(deal) : this.create();
  }

  /** Creates a deal, by default with a random company at the first status of a random pipeline. */
  create(fields: DealFields = {}, company?: string): Deal {
    return this.withLink(this.records.add({ ...this.generate(fields.pipeline_id, company), ...fields }));
  }

  /** Undefined if there is no deal with this id. A deal enters a new pipeline at its first status. */
  change(id: number, fields: DealFields): Deal | undefined {
    const deal = this.records.find(id);
    if (!deal) return undefined;
    const pipelineId = fields.pipeline_id ?? deal.pipeline_id;
    const initial = pipelineId === deal.pipeline_id ? deal.status_id : statusesOf(pipelineId)[0]?.id;
    const status_id = fields.status_id ?? initial ?? deal.status_id;
    return this.update(deal, { ...fields, status_id });
  }

  /** Undefined if there is no deal with this id. */
  delete(id: number): Deal | undefined {
    const deal = this.records.take((one) => one.id === id);
    return deal && this.withLink(deal);
  }

  /** Changes the name and the user of a deal; a random one if there is no deal with this id. */
  updateAny(id?: number): Deal {
    const deal = this.records.find(id) ?? this.records.pick() ?? this.records.add(this.generate());
    const company = deal.name.split(': ')[0] ?? deal.name;
    const changes = {
      name: `${company}: ${pickOne(this.factory.random, DEAL_SUBJECTS)}`,
      responsible_user_id: this.factory.otherUser(deal.responsible_user_id),
    };
    return this.update(deal, changes);
  }

  /**
   * Moves a deal to its next status, or closes it as lost (20 %); a random open deal if this one is missing or
   * closed.
   */
  advanceAny(id?: number): Deal {
    const found = this.records.find(id);
    const deal =
      (found && isOpen(found) ? found : this.records.pick(isOpen)) ?? this.records.add(this.generate());
    const lost = randomBelow(this.factory.random, 5) === 0;
    const next = nextStatus(deal.pipeline_id, deal.status_id);
    return this.update(deal, { status_id: lost ? CLOSED_STATUSES.lost.id : next });
  }

  /** Deletes a random deal, preferably a closed one. */
  deleteAny(): Deal {
    return this.withLink(this.records.take(isClosed) ?? this.records.take() ?? this.generate());
  }

  private generate(pipelineId?: number, company = this.contacts.any().company): StoredDeal {
    const { random } = this.factory;
    const pipeline = PIPELINES.find(({ id }) => id === pipelineId) ?? pickOne(random, PIPELINES);
    return {
      id: this.factory.newId(),
      name: `${company}: ${pickOne(random, DEAL_SUBJECTS)}`,
      status_id: pipeline.openStatuses[0].id,
      pipeline_id: pipeline.id,
      ...this.factory.commonFields(),
    };
  }
}
