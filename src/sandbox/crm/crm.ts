import { z } from 'zod';
import type { EventType } from '../../protocol/event-types';
import type { Clock } from '../clock';
import type { RandomBytes } from '../random';
import { Contacts } from './contacts';
import { Deals } from './deals';
import { Automations } from './automations';
import { storedContact, storedDeal, storedTask } from './records';
import { RecordFactory } from './record-factory';
import { Tasks } from './tasks';

/** The `data` of an event. The document shows only the deal (6.2). */
export type EventData =
  | ReturnType<Deals['create']>
  | ReturnType<Contacts['create']>
  | ReturnType<Tasks['create']>
  | ReturnType<Automations['executeScenario']>
  | ReturnType<Automations['triggerAgent']>;

/** What an event is about; random if omitted. */
export interface Subject {
  dealId?: number | undefined;
  company?: string | undefined;
}

const INITIAL_DEALS = 12;

const storedCrm = z.object({
  lastId: z.number(),
  contacts: z.array(storedContact),
  deals: z.array(storedDeal),
  tasks: z.array(storedTask),
});

/**
 * The simulated CRM account: contacts, their deals moving through pipelines, tasks for the deals, scenarios and
 * agents. If an event needs a record that does not exist (a task to complete), one is generated.
 */
export class Crm {
  private readonly factory: RecordFactory;
  readonly contacts: Contacts;
  readonly deals: Deals;
  readonly tasks: Tasks;
  readonly automations: Automations;

  /** `baseUrl` is a function because the port may be known only once the server is listening. */
  constructor(baseUrl: () => string, clock: Clock, random: RandomBytes) {
    this.factory = new RecordFactory(baseUrl, clock, random);
    this.contacts = new Contacts(this.factory);
    this.deals = new Deals(this.factory, this.contacts);
    this.tasks = new Tasks(this.factory, this.deals);
    this.automations = new Automations(this.factory, this.deals);
    for (let i = 0; i < INITIAL_DEALS; i++) {
      this.contacts.create();
      this.deals.create();
    }
  }

  private readonly generators: Record<EventType, (subject: Subject) => EventData> = {
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

  /** Makes the change of an event of this type and returns the event's `data`. */
  generate(type: EventType, subject: Subject = {}): EventData {
    return this.generators[type](subject);
  }

  /** Replaces a creation by its opposite while the account is nearly full, so that its size stays bounded. */
  avoidOverflow(type: EventType): EventType {
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
