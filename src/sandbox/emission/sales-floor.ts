import type { EventType } from '../../protocol/event-types';
import type { Deal } from '../../protocol/shapes';
import { type Clock, isoTime } from '../clock';
import { type RandomBytes, pickOne, randomBelow } from '../random';
import { ContactBook } from './contact-book';
import { DealDesk } from './deal-desk';
import { AGENTS, SCENARIOS } from './names';
import type { AgentRun, EventData, Linked, ScenarioRun } from './records';
import { Registrar } from './registrar';
import { TaskList } from './task-list';

const RECORDS_OF_A_KIND = 500;
const DEALS_AT_OPENING = 12;

/**
 * A small company at work: contacts, deals of those contacts moving through a pipeline, tasks on those deals. Each act is
 * one event type and returns the record as the event's `data` carries it. Where an act needs a record that is not there
 * (a task to complete), one is taken to have been there before anybody listened.
 */
export class SalesFloor {
  private readonly registrar: Registrar;
  private readonly contacts: ContactBook;
  private readonly deals: DealDesk;
  private readonly tasks: TaskList;

  /** `baseUrl` is asked for when a link is written, since a free port is known only after the start. */
  constructor(
    private readonly baseUrl: () => string,
    private readonly clock: Clock,
    private readonly random: RandomBytes,
  ) {
    this.registrar = new Registrar(clock, random);
    this.contacts = new ContactBook(this.registrar, RECORDS_OF_A_KIND);
    this.deals = new DealDesk(this.registrar, this.contacts, RECORDS_OF_A_KIND);
    this.tasks = new TaskList(this.registrar, this.deals, RECORDS_OF_A_KIND);
    for (let i = 0; i < DEALS_AT_OPENING; i++) {
      this.contacts.meet();
      this.deals.open();
    }
  }

  private readonly acts: Record<EventType, () => EventData> = {
    'deal.created': () => this.linked('deals', this.deals.open()),
    'deal.updated': () => this.linked('deals', this.deals.renegotiate()),
    'deal.status_changed': () => this.linked('deals', this.deals.move()),
    'deal.deleted': () => this.linked('deals', this.deals.remove()),
    'contact.created': () => this.linked('contacts', this.contacts.meet()),
    'contact.updated': () => this.linked('contacts', this.contacts.reassign()),
    'task.created': () => this.linked('tasks', this.tasks.add()),
    'task.completed': () => this.linked('tasks', this.tasks.complete()),
    'scenario.executed': () => this.runScenario(),
    'agent.triggered': () => this.runAgent(),
  };

  /** Lets one thing of this type happen. */
  act(type: EventType): EventData {
    return this.acts[type]();
  }

  /** What a crowded floor does rather than add to itself, so that traffic of days needs no more memory than that of minutes. */
  insteadOf(type: EventType): EventType {
    if (type === 'deal.created' && this.deals.crowded) return 'deal.deleted';
    if (type === 'contact.created' && this.contacts.crowded) return 'contact.updated';
    if (type === 'task.created' && this.tasks.crowded) return 'task.completed';
    return type;
  }

  /** The deals that exist now, oldest first. */
  listDeals(): Deal[] {
    return this.deals.all().map((deal) => this.linked('deals', deal));
  }

  private linked<T extends { id: number }>(kind: string, record: T): Linked<T> {
    return { ...record, _links: { self: `${this.baseUrl()}/v1/${kind}/${record.id}` } };
  }

  private runScenario(): ScenarioRun {
    const scenario = pickOne(this.random, SCENARIOS);
    const deal = this.deals.any();
    const lengthMs = 1_000 + randomBelow(this.random, 20 * 60_000);
    return {
      id: this.registrar.newId(),
      scenario_id: scenario.id,
      name: scenario.name,
      deal_id: deal.id,
      responsible_user_id: deal.responsible_user_id,
      started_at: isoTime(this.clock.now() - lengthMs),
      finished_at: isoTime(this.clock.now()),
    };
  }

  private runAgent(): AgentRun {
    const agent = pickOne(this.random, AGENTS);
    return {
      id: this.registrar.newId(),
      agent_id: agent.id,
      name: agent.name,
      trigger: agent.trigger,
      deal_id: this.deals.any().id,
      triggered_at: isoTime(this.clock.now()),
    };
  }
}
