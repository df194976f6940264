import { isoTime } from '../clock';
import { pickOne, randomBelow } from '../random';
import type { Deals } from './deals';
import { LinkedRecords } from './linked-records';
import type { RecordFactory } from './record-factory';
import type { Linked, StoredTask } from './records';
import { TASK_TITLES } from './sample-data';

const HOUR_MS = 3_600_000;

type Task = Linked<StoredTask>;

/** Fields that may be given for a task; missing ones are generated. */
type TaskFields = Partial<Pick<StoredTask, 'title' | 'deal_id' | 'due_at' | 'responsible_user_id'>>;

/** The open tasks of the simulated account, each for one of its deals. */
export class Tasks extends LinkedRecords<StoredTask> {
  constructor(
    factory: RecordFactory,
    private readonly deals: Deals,
  ) {
    super('tasks', factory);
  }

  /** Creates a task, by default due within three days and assigned to the user of its deal. */
  create(fields: TaskFields = {}): Task {
    return this.withLink(this.records.add({ ...this.generate(fields.deal_id), ...fields }));
  }

  /** For a random deal if there is none with this id. */
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

  private markCompleted(task: StoredTask): Task {
    return this.update(task, { is_completed: true });
  }

  private generate(dealId?: number): StoredTask {
    const { clock, random } = this.factory;
    const deal = this.deals.findOrAny(dealId);
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
}
