import { z } from 'zod';
import type { EventType } from '../../protocol/event-types';
import type { Clock } from '../clock';
import type { RandomBytes } from '../random';
import { ContactBook } from './contact-book';
import { DealDesk } from './deal-desk';
import { Playbook } from './playbook';
import { type EventData, keptContact, keptDeal, keptTask } from './records';
import { Registrar } from './registrar';
import { TaskList } from './task-list';

/** What an act is about; what is left out is any. */
export interface Subject {
  dealId?: number | undefined;
  company?: string | undefined;
}

const RECORDS_OF_A_KIND = 500;
const DEALS_AT_OPENING = 12;

const kept = z.object({
  lastId: z.number(),
  contacts: z.array(keptContact),
  deals: z.array(keptDeal),
  tasks: z.array(keptTask),
});

/**
 * A small company at work: contacts, deals of those contacts moving through a pipeline, tasks on those deals, scenarios and
 * agents. Each act is one event type and returns the record as the event's `data` carries it. Where an act needs a record
 * that is not there (a task to complete), one is taken to have been there before anybody listened.
 */
export class SalesFloor {
  private readonly registrar: Registrar;
  readonly contacts: ContactBook;
  readonly deals: DealDesk;
  readonly tasks: TaskList;
  readonly playbook: Playbook;

  /** `baseUrl` is asked for when a link is written, since a free port is known only after the start. */
  constructor(baseUrl: () => string, clock: Clock, random: RandomBytes) {
    this.registrar = new Registrar(baseUrl, clock, random);
    this.contacts = new ContactBook(this.registrar, RECORDS_OF_A_KIND);
    this.deals = new DealDesk(this.registrar, this.contacts, RECORDS_OF_A_KIND);
    this.tasks = new TaskList(this.registrar, this.deals, RECORDS_OF_A_KIND);
    this.playbook = new Playbook(this.registrar, this.deals);
    for (let i = 0; i < DEALS_AT_OPENING; i++) {
      this.contacts.meet();
      this.deals.open();
    }
  }

  private readonly acts: Record<EventType, (about: Subject) => EventData> = {
    'deal.created': ({ company }) => this.deals.open({}, company),
    'deal.updated': ({ dealId }) => this.deals.renegotiate(dealId),
    'deal.status_changed': ({ dealId }) => this.deals.move(dealId),
    'deal.deleted': () => this.deals.remove(),
    'contact.created': () => this.contacts.meet(),
    'contact.updated': () => this.contacts.reassign(),
    'task.created': ({ dealId }) => this.tasks.addTo(dealId),
    'task.completed': ({ dealId }) => this.tasks.completeAny(dealId),
    'scenario.executed': ({ dealId }) => this.playbook.execute(undefined, dealId),
    'agent.triggered': ({ dealId }) => this.playbook.trigger(undefined, dealId),
  };

  /** Lets one thing of this type happen. */
  act(type: EventType, about: Subject = {}): EventData {
    return this.acts[type](about);
  }

  /** What a crowded floor does rather than add to itself, so that traffic of days needs no more memory than that of minutes. */
  insteadOf(type: EventType): EventType {
    if (type === 'deal.created' && this.deals.shelf.crowded) return 'deal.deleted';
    if (type === 'contact.created' && this.contacts.shelf.crowded) return 'contact.updated';
    if (type === 'task.created' && this.tasks.shelf.crowded) return 'task.completed';
    return type;
  }

  snapshot(): z.infer<typeof kept> {
    return {
      lastId: this.registrar.lastId,
      contacts: [...this.contacts.shelf.all()],
      deals: [...this.deals.shelf.all()],
      tasks: [...this.tasks.shelf.all()],
    };
  }

  restore(snapshot: unknown): void {
    const { lastId, contacts, deals, tasks } = kept.parse(snapshot);
    this.registrar.continueAfter(lastId);
    this.contacts.shelf.refill(contacts);
    this.deals.shelf.refill(deals);
    this.tasks.shelf.refill(tasks);
  }
}
