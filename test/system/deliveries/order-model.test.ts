import type { ServerResponse } from 'node:http';
import * as fc from 'fast-check';
import type { DeliveryDetail } from '../../../src/contract/delivery';
import { target } from '../../../src/contract/target';
import { DeliveryModel, SLACK_MS, type ModelPolicy } from './delivery-model';
import { assertBalanced } from '../../support/daemon/ledger';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const SECOND = 1_000;
const RUNS = Number(process.env['MODEL_RUNS'] ?? 8);
const STATUSES = [204, 204, 204, 503, 503, 429, 404];
const POLICY = {
  delays: [100 * SECOND, 200 * SECOND],
  breaker: { failures: 3, firstProbe: 100 * SECOND, cap: 400 * SECOND },
};

let board: Switchboard;
let runs = 0;

beforeAll(async () => {
  board = await Switchboard.start();
});

afterAll(() => board.end());

/** The daemon's queue for one target, and that target, which answers when it is told to. */
class Stand {
  readonly answers = new Map<string, ServerResponse>();

  private constructor(
    readonly type: string,
    readonly targetId: string,
    readonly place: RecordingTarget,
    readonly model: DeliveryModel,
  ) {}

  static async open(policy: ModelPolicy): Promise<Stand> {
    runs += 1;
    const type = `model.run${runs}`;
    const place = await RecordingTarget.start();
    const { id } = await board.addTarget(type, place.url, [type], {
      policy: {
        ordering: 'entity',
        on_dead: policy.stops ? 'stop' : 'go_on',
        concurrency: policy.concurrency,
        timeout_ms: 60_000,
        jitter: 0,
        retry: { delays_s: policy.delays.map((ms) => ms / SECOND) },
        breaker: {
          failures: policy.breaker.failures,
          first_probe_s: policy.breaker.firstProbe / SECOND,
          cap_s: policy.breaker.cap / SECOND,
        },
      },
    });
    const model = new DeliveryModel(policy, () => board.clock.now());
    const stand = new Stand(type, id, place, model);
    place.answer((response, { headers }) => {
      const event = String(headers['webhook-id']);
      stand.answers.set(event, response);
      model.arrived(event);
    });
    return stand;
  }

  /** As many requests are under way as there must be, and none of them was wrong. */
  async settled(): Promise<void> {
    const { model } = this;
    const wanted = () => model.flights.size === model.expectedFlights();
    await until('as many requests as there must be', wanted, 3_000).catch((error: unknown) => {
      throw new Error(
        `${String(error)}: ${model.flights.size} instead of ${model.expectedFlights()}; ${JSON.stringify(model)}`,
      );
    });
    expect(model.faults).toEqual([]);
  }

  async delivery(event: string): Promise<DeliveryDetail> {
    return board.deliveryOnce(event, this.targetId, () => true);
  }

  async close(): Promise<void> {
    await board.removeTarget({ id: this.targetId });
    await this.place.close();
  }
}

type Command = fc.AsyncCommand<DeliveryModel, Stand>;

/** An event of a deal; deal 0 stands for no entity at all. */
class Emit implements Command {
  constructor(private readonly deal: number) {}
  check = () => true;
  async run(model: DeliveryModel, stand: Stand): Promise<void> {
    const { deal } = this;
    const lane = deal === 0 ? null : `model:${deal}`;
    // In the model first: the request may be there before the answer to the notification.
    const { json } = await this.known(model, stand, lane);
    expect(json).toMatchObject({ status: 'accepted' });
    await stand.settled();
  }
  toString = () => `emit(${this.deal})`;

  private async known(model: DeliveryModel, stand: Stand, lane: string | null) {
    await board.ask(`/targets/${stand.targetId}/pause`, { method: 'POST' });
    const data = lane === null ? { id: null } : { id: Number(lane.slice('model:'.length)) };
    const answer = await board.notify(board.sign(stand.type, data));
    model.emit((answer.json as { id: string }).id, lane);
    if (!model.paused) await board.ask(`/targets/${stand.targetId}/resume`, { method: 'POST' });
    return answer;
  }
}

class Answer implements Command {
  constructor(
    private readonly pick: number,
    private readonly status: number,
  ) {}
  check = (model: Readonly<DeliveryModel>) => model.flights.size > 0;
  async run(model: DeliveryModel, stand: Stand): Promise<void> {
    const events = [...model.flights.keys()];
    const event = events[this.pick % events.length]!;
    const before = { ...model.answered(event, this.status) };
    stand.answers.get(event)!.writeHead(this.status).end();
    stand.answers.delete(event);
    const real = await board.deliveryOnce(
      event,
      stand.targetId,
      ({ attempts }) => attempts.length >= before.attempts,
      3_000,
    );
    // Due again at once, it may be on its way already.
    const again = before.state === 'retrying' && before.due <= board.clock.now() + SLACK_MS;
    if (!again) expect(real.state).toBe(before.state);
    if (!again || real.attempt_count === before.attempts) {
      expect(real).toMatchObject({ stops_lane: before.stopsLane, attempt_count: before.attempts });
      if (before.state === 'retrying')
        expect(Math.abs(Date.parse(real.due_at!) - before.due)).toBeLessThan(SLACK_MS);
    }
    await stand.settled();
  }
  toString = () => `answer(${this.pick}, ${this.status})`;
}

class Advance implements Command {
  constructor(private readonly ms: number) {}
  check = () => true;
  async run(_model: DeliveryModel, stand: Stand): Promise<void> {
    board.clock.move(this.ms);
    await stand.settled();
  }
  toString = () => `advance(${this.ms / SECOND} s)`;
}

class Cancel implements Command {
  constructor(private readonly pick: number) {}
  check = (model: Readonly<DeliveryModel>) => model.cancellable().length > 0;
  async run(model: DeliveryModel, stand: Stand): Promise<void> {
    const all = model.cancellable();
    const { event } = all[this.pick % all.length]!;
    const { id } = await stand.delivery(event);
    model.cancel(event);
    const answer = await board.ask(`/deliveries/${id}/discard`, {
      method: 'POST',
      json: { reason: 'the model' },
    });
    expect(answer.status).toBe(200);
    await stand.settled();
  }
  toString = () => `cancel(${this.pick})`;
}

class Pause implements Command {
  check = (model: Readonly<DeliveryModel>) => !model.paused;
  async run(model: DeliveryModel, stand: Stand): Promise<void> {
    await board.ask(`/targets/${stand.targetId}/pause`, { method: 'POST' });
    model.paused = true;
    await stand.settled();
  }
  toString = () => 'pause';
}

class Resume implements Command {
  check = (model: Readonly<DeliveryModel>) => model.paused;
  async run(model: DeliveryModel, stand: Stand): Promise<void> {
    model.paused = false;
    await board.ask(`/targets/${stand.targetId}/resume`, { method: 'POST' });
    await stand.settled();
  }
  toString = () => 'resume';
}

/** Where nothing is under way: what is cut by a stop is another matter, and tested with kills. */
class Restart implements Command {
  check = (model: Readonly<DeliveryModel>) => model.flights.size === 0;
  async run(model: DeliveryModel, stand: Stand): Promise<void> {
    await board.stop();
    model.restarted();
    board = await Switchboard.start({ after: board });
    const { breaker } = await board.read(target, `/targets/${stand.targetId}`);
    expect(breaker?.probes ?? null).toBe(model.open?.probes ?? null);
    await stand.settled();
  }
  toString = () => 'restart';
}

const commands = fc.commands(
  [
    ...Array.from({ length: 3 }, () => fc.nat({ max: 2 }).map((deal) => new Emit(deal))),
    ...Array.from({ length: 5 }, () =>
      fc
        .tuple(fc.nat({ max: 9 }), fc.constantFrom(...STATUSES))
        .map(([pick, status]) => new Answer(pick, status)),
    ),
    fc.constantFrom(60, 110, 210, 500).map((s) => new Advance(s * SECOND)),
    fc.constantFrom(110, 500).map((s) => new Advance(s * SECOND)),
    fc.nat({ max: 9 }).map((pick) => new Cancel(pick)),
    fc.constant(new Pause()),
    fc.constant(new Resume()),
    fc.constant(new Resume()),
    fc.constant(new Restart()),
  ],
  { maxCommands: 60, size: 'max' },
);

it('delivery, lane and breaker do what a small model of them does, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      commands,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (steps, concurrency, stops) => {
        const stand = await Stand.open({ ...POLICY, concurrency, stops });
        try {
          await fc.asyncModelRun(() => ({ model: stand.model, real: stand }), steps);
          await assertBalanced({ url: board.origin, token: board.adminToken });
        } finally {
          await stand.close();
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 600_000);
