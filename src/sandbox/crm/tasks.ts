import { isoTime } from '../clock';
import { pickOne, randomBelow } from '../random';
import type { Deals } from './deals';
import { TASK_TITLES } from './sample-data';
import type { Task, Unlinked } from './records';
import type { RecordFactory } from './record-factory';
import { BoundedSet } from './bounded-set';

const HOUR_MS = 3_600_000;

/** Fields that may be given for a task; missing ones are generated. */
export type TaskFields = Partial<Pick<Task, 'title' | 'deal_id' | 'due_at' | 'responsible_user_id'>>;

/** The open tasks of the simulated account, each for one of its deals. */
export class Tasks {
  readonly records: BoundedSet<Unlinked<Task>>;

  constructor(
    private readonly factory: RecordFactory,
    private readonly deals: Deals,
    capacity: number,
  ) {
    this.records = new BoundedSet(factory.random, capacity);
  }

  /** Oldest first. */
  all(): Task[] {
    return this.records.all().map((task) => this.withLink(task));
  }

  find(id: number): Task | undefined {
    const task = this.records.find(id);
    return task && this.withLink(task);
  }

  /** Creates a task, by default due within three days and assigned to the user of its deal. */
  create(fields: TaskFields = {}): Task {
    return this.withLink(this.records.add({ ...this.generate(fields.deal_id), ...fields }));
  }

  /** Creates a task for this deal; for a random one if there is no deal with this id. */
  createFor(dealId: number | undefined): Task {
    return this.withLink(this.records.add(this.generate(dealId)));
  }

  /** Completes a task; undefined if there is none with this id. */
  complete(id: number): Task | undefined {
    const task = this.records.take((one) => one.id === id);
    return task && this.markCompleted(task);
  }

  /** Completes a random task, preferably one of this deal. */
  completeAny(dealId?: number): Task {
    const ofDeal = this.records.take((task) => task.deal_id === dealId);
    return this.markCompleted(ofDeal ?? this.records.take() ?? this.generate());
  }

  private markCompleted(task: Unlinked<Task>): Task {
    return this.withLink(this.factory.update(task, { is_completed: true }));
  }

  private generate(dealId?: number): Unlinked<Task> {
    const { clock, random } = this.factory;
    const found = dealId === undefined ? undefined : this.deals.find(dealId);
    const deal = found ?? this.deals.any();
    return {
      id: this.factory.newId(),
      title: `${pickOne(random, TASK_TITLES)} (${deal.name})`,
      deal_id: deal.id,
      is_completed: false,
      due_at: isoTime(clock.now() + (1 + randomBelow(random, 72)) * HOUR_MS),
      ...this.factory.commonFields(),
      responsible_user_id: deal.responsible_user_id,
    };
  }

  private withLink(task: Unlinked<Task>): Task {
    return this.factory.withLink('tasks', task);
  }
}
