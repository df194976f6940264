import { pino } from 'pino';
import type { AppendOutcome, Journal } from '../../../src/relay/database/journal/journal';
import { planDeliveries } from '../../../src/relay/deliveries/queue/plan-deliveries';
import { keyOfDeliveryId } from '../../../src/relay/ground/ids';
import { TimeBounds } from '../../../src/relay/ground/time-bounds';
import { draft } from '../daemon/scratch-journal';
import { adopt } from './adopt';
import type { Disk } from './disk';
import { Faults, type Fault } from './faults';
import { unknownPolicy, type ModelFilter } from './filters';
import { Hub } from './hub';
import { Model, type ModelEvent, type Selection } from './model';
import type { ModelPolicy } from './model-target';
import { Receiver, type Flight } from './receiver';
import type { SimulatedTime } from './simulated-time';
import { toPolicy } from './policies';
import { recordOf } from './records';
import { ONLY_DAEMON } from '../only-daemon';

/** What is collected for this long is written together; a slot is used again after this. */
const WRITTEN_WITHIN_MS = 60;
/** After this, what could not be written is written again. */
const RETRIED_WITHIN_MS = 1_100;

/** What no fault may cause. */
const DEFECTS = /commit listener failed|attempt not made|breaker not probed|TypeError|ReferenceError/;

/** What a daemon says whose circuit breakers another one keeps by now. */
const REFUSED = /breaker not stored/;

const TYPES = ['type.updated', 'type.created'] as const;

export const typeOf = (number: number) => TYPES[number]!;

/** The core of a daemon on a disk with faults, its receivers, and the model of what should be true. */
export class CoreRun {
  readonly model: Model;
  receiver: Receiver;
  readonly faults = new Faults(() => (this.receiver.isCut = true));
  /** What contradicts the model. */
  readonly violations: string[] = [];
  hub!: Hub;
  /** Since the last start, something could not be written that is not written again. */
  hasLostWrites = false;
  /** The last replay that was asked for, and the events that were to be removed: a crash may leave them in doubt. */
  wanted: { selection: Selection; named: readonly number[] | null } | null = null;
  pruned: readonly number[] = [];
  /** Events without an answer yet, by the number in their body. */
  readonly unanswered = new Map<number, Omit<ModelEvent, 'seq'>>();
  private readonly doubts = new Set<() => void>();
  private isTakingOver = false;
  private random = 0;
  private bodies = 0;
  private readonly log = pino({ level: 'error' }, { write: (line) => this.onError(line) });

  constructor(
    readonly disk: Disk,
    readonly time: SimulatedTime,
    /** Whether targets have filters. */
    readonly filters: boolean,
  ) {
    this.model = new Model(time.now);
    this.receiver = this.newReceiver();
  }

  get journal(): Journal {
    return this.hub.journal;
  }

  /** Starts the daemon on what is stored. */
  async start(): Promise<void> {
    const bounds = new TimeBounds(this.time);
    bounds.checkedThrough = Number.MAX_SAFE_INTEGER;
    const journal = await this.disk.open(this.time, bounds, this.log, this.faults);
    const { time: clock, log, receiver } = this;
    const { reader, source } = this.disk;
    const { leadership } = ONLY_DAEMON;
    // Until another daemon has taken over.
    const ownership = { delivers: () => this.receiver === receiver };
    const random = { bytes: (size: number) => this.bytes(size), fraction: () => 0.5 };
    this.hub = new Hub({
      journal,
      bounds,
      reader,
      source,
      clock,
      log,
      receiver,
      leadership,
      ownership,
      random,
    });
    this.receiver.isCut = false;
    await this.finish(this.hub.start());
    this.hasLostWrites = false;
  }

  /**
   * Another daemon leads and delivers from now on. This one learns the outcomes of its requests afterwards, and may
   * store none of them: the other one makes these attempts again.
   */
  async takeOver(): Promise<void> {
    const { hub, receiver } = this;
    this.model.flights.clear();
    this.receiver = this.newReceiver();
    await adopt(this);
    await this.start();
    for (const flight of receiver.flights.slice()) receiver.answer(flight, { status: 200, error: null });
    this.isTakingOver = true;
    await this.time.advance(WRITTEN_WITHIN_MS);
    this.isTakingOver = false;
    await this.finish(hub.close());
  }

  /** The process ends at once, with everything that it has in memory. */
  async kill(): Promise<void> {
    this.receiver.isCut = true;
    await this.disk.kill();
    this.time.forgetTimers();
    await this.time.settle();
    this.time.forgetTimers();
    this.receiver.flights.splice(0);
    this.model.flights.clear();
  }

  addTarget(policy: ModelPolicy, types: readonly string[], filter: ModelFilter): void {
    const number = this.model.targets.size + 1;
    const names = { name: `target ${number}`, url: `http://target-${number}.test/` };
    const usual = { enabled: true, headers: [], tls: null };
    const created = this.hub.targets.create({
      ...names,
      ...usual,
      kind: 'http',
      format: 'json',
      events: [...types],
      filter: filter.filter,
      policy: { ...toPolicy(policy), ...unknownPolicy(filter) },
    });
    this.request(created, (outcome) => {
      if (outcome !== null)
        this.model.addTarget(outcome.record.number, outcome.record.id, types, policy, filter);
    });
  }

  /** Stores an event, again if it is given. @param record chooses what it says of its entity */
  emit(type: string, entity: string, record: number, again?: ModelEvent): void {
    const number = again?.body ?? (this.bodies += 1);
    const { status, version } = again ?? recordOf(record, this.time.now());
    const event = { type, entity, body: number, receivedAt: this.time.now(), status, version };
    const payload = {
      n: number,
      data: { status, ...(version !== null && { updated_at: new Date(version).toISOString() }) },
    };
    let planned: ReturnType<Model['plan']> = [];
    const plan = () => {
      this.learnRouting();
      planned = this.model.plan(event);
      const real = planDeliveries(event, this.hub.targets.all(), payload);
      this.expect('the plan of an event', real, planned);
      return real;
    };
    const first = { receivedAt: again?.receivedAt ?? event.receivedAt };
    const { identity } = draft(number, first);
    const stored = draft(number, { ...event, identity, body: Buffer.from(JSON.stringify(payload)) });
    if (again === undefined) this.unanswered.set(number, event);
    void this.journal.append(stored, plan).then((outcome) => this.onAppended(outcome, event, planned, again));
  }

  answer(flight: Flight, status: number | null): void {
    this.model.respond(this.keyOf(flight), status);
    const error = status === null ? 'timeout' : status < 300 ? null : 'http_status';
    this.receiver.answer(flight, { status, error });
    // What is queued ends at once: after what was asked for before, and before what is asked for next.
    if (status === 410) this.request(this.journal.change({}), () => this.model.expire());
  }

  /** A step is over, and what is stored was compared. */
  endStep(): void {
    this.model.queue.before.clear();
    for (const target of this.model.targets.values()) target.storedBefore = [];
    this.pruned = [];
    this.wanted = null;
  }

  /**
   * A change that an operator asks for.
   * @param apply to the model, once it is stored; without an outcome, it may be stored
   */
  request<Outcome>(change: Promise<Outcome>, apply: (outcome: Outcome | null) => void): void {
    const doubt = () => apply(null);
    this.doubts.add(doubt);
    const answered = <Answer>(then: (answer: Answer) => void) => {
      return (answer: Answer) => {
        if (this.doubts.delete(doubt)) then(answer);
      };
    };
    change.then(
      answered(apply),
      answered((error: Error) => this.expectFault(String(error))),
    );
  }

  /** After a crash: what was asked for may be stored. */
  applyDoubts(): void {
    for (const doubt of this.doubts) doubt();
    this.doubts.clear();
  }

  /** Lets everything happen that must happen by now. */
  async round(): Promise<void> {
    await this.time.advance(this.faults.hasFailed ? RETRIED_WITHIN_MS : WRITTEN_WITHIN_MS);
    // The deliveries of a cancelled replay end in steps, one for each target.
    const isCancelling = [...this.model.replays.values()].some(({ state }) => state === 'cancelling');
    for (
      let ticks = isCancelling ? -this.model.targets.size : 0;
      ticks < 2 && !this.receiver.isCut;
      ticks += 1
    ) {
      this.hub.tick();
      await this.time.settle();
    }
    if (!this.receiver.isCut) this.model.router.finish();
    this.model.expire();
    this.model.endReplays();
  }

  /** Waits for work that takes no time. */
  async finish<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const mark = () => (isDone = true);
    work.then(mark, mark);
    await this.time.settle();
    if (!isDone) throw new Error('It does not end without time passing.');
    return work;
  }

  expect(what: string, real: unknown, expected: unknown): void {
    const [found, wanted] = [JSON.stringify(real), JSON.stringify(expected)];
    if (found !== wanted) this.violations.push(`${what}: ${found} instead of ${wanted}`);
  }

  private onAppended(
    outcome: AppendOutcome,
    event: Omit<ModelEvent, 'seq'>,
    planned: ReturnType<Model['plan']>,
    again: ModelEvent | undefined,
  ): void {
    this.unanswered.delete(event.body);
    if (outcome.status === 'not_stored') return this.expectFault(`event ${event.body} was not stored`);
    this.expect('duplicate', outcome.status, again === undefined ? 'accepted' : 'duplicate');
    if (again === undefined) this.model.store({ ...event, seq: outcome.seq }, planned);
    else this.expect('the first of a duplicate', outcome.seq, again.seq);
  }

  /** The router decides when a target can do without it. */
  private learnRouting(): void {
    const targets = this.model.existing.filter(
      ({ number, isRouted }) => isRouted && this.hub.targets.byNumber(number)?.routing === null,
    );
    if (targets.length > 0) this.model.router.finish(targets);
  }

  keyOf({ delivery }: Flight) {
    return keyOfDeliveryId(delivery, this.journal.instanceId)!;
  }

  private newReceiver(): Receiver {
    // The model first learns what was committed in the same moment.
    return new Receiver(
      this.time.now,
      (flight) => process.nextTick(() => this.onRequest(flight)),
      (flight) => process.nextTick(() => this.model.lose(this.keyOf(flight))),
    );
  }

  private onRequest(flight: Flight): void {
    const error = this.model.request(this.keyOf(flight), flight.attempt);
    if (error !== null) this.violations.push(`request ${JSON.stringify(this.keyOf(flight))} ${error}`);
  }

  private expectFault(what: string): void {
    const fault: Fault | null = this.faults.happened;
    if (fault === null) this.violations.push(`without a fault: ${what}`);
  }

  private onError(line: string): void {
    if (this.isTakingOver && REFUSED.test(line)) return;
    if (this.faults.hasFailed) this.hasLostWrites = true;
    if (this.faults.happened === null || DEFECTS.test(line)) this.violations.push(`logged: ${line}`);
  }

  /** Different ones each time, the same in each run. */
  private bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    bytes.writeUInt32BE((this.random += 1), 0);
    return bytes;
  }
}
