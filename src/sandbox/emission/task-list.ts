import { isoTime } from '../clock';
import { pickOne, randomBelow } from '../random';
import type { DealDesk } from './deal-desk';
import { TASK_TITLES } from './names';
import type { Task, Unlinked } from './records';
import type { Registrar } from './registrar';
import { Shelf } from './shelf';

const HOUR_MS = 3_600_000;

/** The open tasks of the sales floor, each on one of its deals. */
export class TaskList {
  private readonly open: Shelf<Unlinked<Task>>;

  constructor(
    private readonly registrar: Registrar,
    private readonly deals: DealDesk,
    capacity: number,
  ) {
    this.open = new Shelf(registrar.random, capacity);
  }

  get crowded(): boolean {
    return this.open.crowded;
  }

  /** A new task, due within three days, for the user responsible for its deal. */
  add(): Unlinked<Task> {
    return this.open.put(this.draw());
  }

  /** A task is done. */
  complete(): Unlinked<Task> {
    return this.registrar.amend(this.open.take() ?? this.draw(), { is_completed: true });
  }

  private draw(): Unlinked<Task> {
    const { clock, random } = this.registrar;
    const deal = this.deals.any();
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
}
