import { z } from 'zod';
import type { EventType } from '../../protocol/event-types';
import type { Clock } from '../clock';
import type { RandomBytes } from '../random';
import { Contacts } from './contacts';
import { Deals } from './deals';
import { Automations } from './automations';
import { type EventData, storedContact, storedDeal, storedTask } from './records';
import { RecordFactory } from './record-factory';
import { Tasks } from './tasks';

/** What an act is about; what is left out is any. */
export interface Subject {
  dealId?: number | undefined;
  company?: string | undefined;
}

const CAPACITY = 500;
const INITIAL_DEALS = 12;

const storedCrm = z.object({
  lastId: z.number(),
  contacts: z.array(storedContact),
  deals: z.array(storedDeal),
  tasks: z.array(storedTask),
});

/**
 * A small company at work: contacts, deals of those contacts moving through a pipeline, tasks on those deals, scenarios and
 * agents. Each act is one event type and returns the record as the event's `data` carries it. Where an act needs a record
 * that is not there (a task to complete), one is taken to have been there before anybody listened.
 */
export class Crm {
  private readonly factory: RecordFactory;
  readonly contacts: Contacts;
  readonly deals: Deals;
  readonly tasks: Tasks;
  readonly automations: Automations;

  /** `baseUrl` is asked for when a link is written, since a free port is known only after the start. */
  constructor(baseUrl: () => string, clock: Clock, random: RandomBytes) {
    this.factory = new RecordFactory(baseUrl, clock, random);
    this.contacts = new Contacts(this.factory, CAPACITY);
    this.deals = new Deals(this.factory, this.contacts, CAPACITY);
    this.tasks = new Tasks(this.factory, this.deals, CAPACITY);
    this.automations = new Automations(this.factory, this.deals);
    for (let i = 0; i < INITIAL_DEALS; i++) {
      this.contacts.create();
      this.deals.create();
    }
  }

  private readonly generators: Record<EventType, (about: Subject) => EventData> = {
    'deal.created': ({ company }) => this.deals.create({}, company),
    'deal.updated': ({ dealId }) => this.deals.updateAny(dealId),
    'deal.status_changed': ({ dealId }) => this.deals.advanceAny(dealId),
    'deal.deleted': () => this.deals.deleteAny(),
    'contact.created': () => this.contacts.create(),
    'contact.updated': () => this.contacts.reassignAny(),
    'task.created': ({ dealId }) => this.tasks.createFor(dealId),
    'task.completed': ({ dealId }) => this.tasks.completeAny(dealId),
    'scenario.executed': ({ dealId }) => this.automations.executeScenario(undefined, dealId),
    'agent.triggered': ({ dealId }) => this.automations.triggerAgent(undefined, dealId),
  };

  /** Lets one thing of this type happen. */
  generate(type: EventType, about: Subject = {}): EventData {
    return this.generators[type](about);
  }

  /** What a crowded floor does rather than add to itself, so that traffic of days needs no more memory than that of minutes. */
  withinCapacity(type: EventType): EventType {
    if (type === 'deal.created' && this.deals.records.isNearlyFull) return 'deal.deleted';
    if (type === 'contact.created' && this.contacts.records.isNearlyFull) return 'contact.updated';
    if (type === 'task.created' && this.tasks.records.isNearlyFull) return 'task.completed';
    return type;
  }

  snapshot(): z.infer<typeof storedCrm> {
    return {
      lastId: this.factory.lastId,
      contacts: [...this.contacts.records.all()],
      deals: [...this.deals.records.all()],
      tasks: [...this.tasks.records.all()],
    };
  }

  restore(snapshot: unknown): void {
    const { lastId, contacts, deals, tasks } = storedCrm.parse(snapshot);
    this.factory.continueAfter(lastId);
    this.contacts.records.replaceAll(contacts);
    this.deals.records.replaceAll(deals);
    this.tasks.records.replaceAll(tasks);
  }
}
