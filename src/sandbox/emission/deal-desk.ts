import type { Deal } from '../../protocol/shapes';
import { pickOne, randomBelow } from '../random';
import type { ContactBook } from './contact-book';
import { DEAL_SUBJECTS } from './names';
import { CLOSED_STATUSES, PIPELINES, isOpenStatus, nextStatus, statusesOf } from './pipelines';
import type { Unlinked } from './records';
import type { Registrar } from './registrar';
import { Shelf } from './shelf';

/** What can be said of a deal; what is left out is made up. */
export type DealFields = Partial<Pick<Deal, 'name' | 'status_id' | 'pipeline_id' | 'responsible_user_id'>>;

const isOpen = (deal: Unlinked<Deal>): boolean => isOpenStatus(deal.status_id);
const isClosed = (deal: Unlinked<Deal>): boolean => !isOpen(deal);

/** The deals of the sales floor, each with one of its contacts' companies. */
export class DealDesk {
  readonly shelf: Shelf<Unlinked<Deal>>;

  constructor(
    private readonly registrar: Registrar,
    private readonly contacts: ContactBook,
    capacity: number,
  ) {
    this.shelf = new Shelf(registrar.random, capacity);
  }

  /** The deals that exist now, oldest first. */
  all(): Deal[] {
    return this.shelf.all().map((deal) => this.linked(deal));
  }

  find(id: number): Deal | undefined {
    const deal = this.shelf.find(id);
    return deal && this.linked(deal);
  }

  /** A deal that exists; a new one where none does. */
  any(): Deal {
    const deal = this.shelf.pick();
    return deal ? this.linked(deal) : this.open();
  }

  /** A new deal, at the first status of its pipeline unless said otherwise; with any company where none is named. */
  open(fields: DealFields = {}, company?: string): Deal {
    return this.linked(this.shelf.put({ ...this.draw(fields.pipeline_id, company), ...fields }));
  }

  /** Changes a deal; undefined when there is none with this id. Another pipeline begins at its first status. */
  change(id: number, fields: DealFields): Deal | undefined {
    const deal = this.shelf.find(id);
    if (!deal) return undefined;
    const pipelineId = fields.pipeline_id ?? deal.pipeline_id;
    const first = pipelineId === deal.pipeline_id ? deal.status_id : statusesOf(pipelineId)[0]?.id;
    const status_id = fields.status_id ?? first ?? deal.status_id;
    return this.linked(this.registrar.amend(deal, { ...fields, status_id }));
  }

  /** Deletes a deal; undefined when there is none with this id. */
  delete(id: number): Deal | undefined {
    const deal = this.shelf.take((one) => one.id === id);
    return deal && this.linked(deal);
  }

  /** A deal gets another subject and another user; any where the one named is not there. */
  renegotiate(id?: number): Deal {
    const deal = this.named(id) ?? this.shelf.pick() ?? this.shelf.put(this.draw());
    const company = deal.name.split(': ')[0] ?? deal.name;
    const changes = {
      name: `${company}: ${pickOne(this.registrar.random, DEAL_SUBJECTS)}`,
      responsible_user_id: this.registrar.otherUser(deal.responsible_user_id),
    };
    return this.linked(this.registrar.amend(deal, changes));
  }

  /** An open deal moves on, or is lost one time in five; any where the one named is not there or closed. */
  move(id?: number): Deal {
    const named = this.named(id);
    const deal = (named && isOpen(named) ? named : this.shelf.pick(isOpen)) ?? this.shelf.put(this.draw());
    const lost = randomBelow(this.registrar.random, 5) === 0;
    const next = nextStatus(deal.pipeline_id, deal.status_id);
    return this.linked(this.registrar.amend(deal, { status_id: lost ? CLOSED_STATUSES.lost.id : next }));
  }

  /** A deal goes, a closed one if there is one. */
  remove(): Deal {
    return this.linked(this.shelf.take(isClosed) ?? this.shelf.take() ?? this.draw());
  }

  private named(id: number | undefined): Unlinked<Deal> | undefined {
    return id === undefined ? undefined : this.shelf.find(id);
  }

  private draw(pipelineId?: number, company = this.contacts.any().company): Unlinked<Deal> {
    const { random } = this.registrar;
    const pipeline = PIPELINES.find(({ id }) => id === pipelineId) ?? pickOne(random, PIPELINES);
    return {
      id: this.registrar.newId(),
      name: `${company}: ${pickOne(random, DEAL_SUBJECTS)}`,
      status_id: pipeline.openStatuses[0].id,
      pipeline_id: pipeline.id,
      ...this.registrar.stamps(),
    };
  }

  private linked(deal: Unlinked<Deal>): Deal {
    return this.registrar.link('deals', deal);
  }
}
