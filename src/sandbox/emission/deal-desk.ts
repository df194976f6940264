import type { Deal } from '../../protocol/shapes';
import { pickOne, randomBelow } from '../random';
import type { ContactBook } from './contact-book';
import { DEAL_SUBJECTS } from './names';
import { CLOSED_STATUSES, PIPELINES, isOpenStatus, nextStatus } from './pipelines';
import type { Unlinked } from './records';
import type { Registrar } from './registrar';
import { Shelf } from './shelf';

const isOpen = (deal: Unlinked<Deal>): boolean => isOpenStatus(deal.status_id);
const isClosed = (deal: Unlinked<Deal>): boolean => !isOpen(deal);

/** The deals of the sales floor, each with one of its contacts' companies. */
export class DealDesk {
  private readonly deals: Shelf<Unlinked<Deal>>;

  constructor(
    private readonly registrar: Registrar,
    private readonly contacts: ContactBook,
    capacity: number,
  ) {
    this.deals = new Shelf(registrar.random, capacity);
  }

  get crowded(): boolean {
    return this.deals.crowded;
  }

  /** The deals that exist now, oldest first. */
  all(): readonly Unlinked<Deal>[] {
    return this.deals.all();
  }

  /** A deal that exists; a new one where none does. */
  any(): Unlinked<Deal> {
    return this.deals.pick() ?? this.open();
  }

  /** A new deal, at the first status of a pipeline. */
  open(): Unlinked<Deal> {
    return this.deals.put(this.draw());
  }

  /** A deal gets another subject and another user. */
  renegotiate(): Unlinked<Deal> {
    const deal = this.any();
    const company = deal.name.split(': ')[0] ?? deal.name;
    return this.registrar.amend(deal, {
      name: `${company}: ${pickOne(this.registrar.random, DEAL_SUBJECTS)}`,
      responsible_user_id: this.registrar.otherUser(deal.responsible_user_id),
    });
  }

  /** An open deal moves on, or is lost one time in five. */
  move(): Unlinked<Deal> {
    const deal = this.deals.pick(isOpen) ?? this.open();
    const lost = randomBelow(this.registrar.random, 5) === 0;
    const next = nextStatus(deal.pipeline_id, deal.status_id);
    return this.registrar.amend(deal, { status_id: lost ? CLOSED_STATUSES.lost : next });
  }

  /** A deal goes, a closed one if there is one. */
  remove(): Unlinked<Deal> {
    return this.deals.take(isClosed) ?? this.deals.take() ?? this.draw();
  }

  private draw(): Unlinked<Deal> {
    const { random } = this.registrar;
    const pipeline = pickOne(random, PIPELINES);
    return {
      id: this.registrar.newId(),
      name: `${this.contacts.any().company}: ${pickOne(random, DEAL_SUBJECTS)}`,
      status_id: pipeline.openStatuses[0],
      pipeline_id: pipeline.id,
      ...this.registrar.stamps(),
    };
  }
}
