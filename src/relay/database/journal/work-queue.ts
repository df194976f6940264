import type { Clock } from '../../ground/clock';
import { AppendQueue } from './append-queue';
import type { Batch, WorkOf } from './work';

/** The most results in one group. */
const RESULT_GROUP = 500;

type OtherWork = Omit<Batch, 'append'>;

const NOTHING: OtherWork = { result: [], change: [], prune: [], shrink: [] };

/** The work that is queued for the next groups. */
export class WorkQueue {
  readonly appends: AppendQueue;
  private readonly other: OtherWork = { result: [], change: [], prune: [], shrink: [] };
  /** Whether a delivery in a lane waits for one of the queued results. */
  private isResultAwaited = false;
  /** Whether the last batch had events. */
  private tookEvents = false;

  /** @param takesEventsAlone whether a batch has either events or other work; they then take turns */
  constructor(
    clock: Clock,
    private readonly takesEventsAlone: boolean,
  ) {
    this.appends = new AppendQueue(clock);
  }

  get isEmpty(): boolean {
    return this.appends.isEmpty && !this.hasOther;
  }

  /** Whether the next group should be committed without waiting for more results. */
  get isUrgent(): boolean {
    const { change, prune, shrink } = this.other;
    return this.isResultAwaited || !this.appends.isEmpty || change.length + prune.length + shrink.length > 0;
  }

  get hasResults(): boolean {
    return this.other.result.length > 0;
  }

  get isFullOfResults(): boolean {
    return this.other.result.length >= RESULT_GROUP;
  }

  push<Kind extends keyof OtherWork>(kind: Kind, work: WorkOf<Kind>): void {
    (this.other[kind] as WorkOf<Kind>[]).push(work);
  }

  /** @param isAwaited whether a delivery waits until it is on disk */
  pushResult(result: WorkOf<'result'>, isAwaited: boolean): void {
    this.other.result.push(result);
    this.isResultAwaited ||= isAwaited;
  }

  /** Queues results again that could not be written. */
  putBack(results: readonly WorkOf<'result'>[]): void {
    this.other.result.unshift(...results);
  }

  take(): Batch {
    const mustChoose = this.takesEventsAlone && !this.appends.isEmpty && this.hasOther;
    const takesOther = !mustChoose || this.tookEvents;
    const takesEvents = !mustChoose || !takesOther;
    this.tookEvents = takesEvents && !this.appends.isEmpty;
    const { result, change, prune, shrink } = takesOther ? this.other : NOTHING;
    const batch = {
      append: takesEvents ? this.appends.take() : [],
      result: result.splice(0, RESULT_GROUP),
      change: change.splice(0),
      prune: prune.splice(0, 1),
      shrink: shrink.splice(0, 1),
    };
    this.isResultAwaited &&= this.hasResults;
    return batch;
  }

  private get hasOther(): boolean {
    return Object.values(this.other).some((works) => works.length > 0);
  }
}
