import { isoTime } from '../clock';
import { pickOne, randomBelow } from '../random';
import type { DealDesk } from './deal-desk';
import { TASK_TITLES } from './names';
import type { Task, Unlinked } from './records';
import type { Registrar } from './registrar';
import { Shelf } from './shelf';

const HOUR_MS = 3_600_000;

/** What can be said of a task; what is left out is made up. */
export type TaskFields = Partial<Pick<Task, 'title' | 'deal_id' | 'due_at' | 'responsible_user_id'>>;

/** The open tasks of the sales floor, each on one of its deals. */
export class TaskList {
  readonly shelf: Shelf<Unlinked<Task>>;

  constructor(
    private readonly registrar: Registrar,
    private readonly deals: DealDesk,
    capacity: number,
  ) {
    this.shelf = new Shelf(registrar.random, capacity);
  }

  /** The tasks to be done, oldest first. */
  all(): Task[] {
    return this.shelf.all().map((task) => this.linked(task));
  }

  find(id: number): Task | undefined {
    const task = this.shelf.find(id);
    return task && this.linked(task);
  }

  /** A new task, due within three days, for the user responsible for its deal, unless said otherwise. */
  add(fields: TaskFields = {}): Task {
    return this.linked(this.shelf.put({ ...this.draw(fields.deal_id), ...fields }));
  }

  /** A new task on this deal; on any where it is not there. */
  addTo(dealId: number | undefined): Task {
    return this.linked(this.shelf.put(this.draw(dealId)));
  }

  /** The task with this id is done; undefined when there is none. */
  complete(id: number): Task | undefined {
    const task = this.shelf.take((one) => one.id === id);
    return task && this.completed(task);
  }

  /** A task is done, one of this deal if there is one. */
  completeAny(dealId?: number): Task {
    const ofDeal = this.shelf.take((task) => task.deal_id === dealId);
    return this.completed(ofDeal ?? this.shelf.take() ?? this.draw());
  }

  private completed(task: Unlinked<Task>): Task {
    return this.linked(this.registrar.amend(task, { is_completed: true }));
  }

  private draw(dealId?: number): Unlinked<Task> {
    const { clock, random } = this.registrar;
    const known = dealId === undefined ? undefined : this.deals.find(dealId);
    const deal = known ?? this.deals.any();
    return {
      id: this.registrar.newId(),
      title: `${pickOne(random, TASK_TITLES)} (${deal.name})`,
      deal_id: deal.id,
      is_completed: false,
      due_at: isoTime(clock.now() + (1 + randomBelow(random, 72)) * HOUR_MS),
      ...this.registrar.stamps(),
      responsible_user_id: deal.responsible_user_id,
    };
  }

  private linked(task: Unlinked<Task>): Task {
    return this.registrar.link('tasks', task);
  }
}
