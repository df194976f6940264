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

let switchboard: Switchboard;
let runs = 0;

beforeAll(async () => {
  switchboard = await Switchboard.start();
  switchboard.clock.stop();
});

afterAll(() => switchboard.end());

/** The daemon's queue for one target, and that target, which responds when a command says so. */
class ModelRun {
  readonly responses = new Map<string, ServerResponse>();

  private constructor(
    readonly type: string,
    readonly targetId: string,
    readonly receiver: RecordingTarget,
    readonly model: DeliveryModel,
  ) {}

  static async open(policy: ModelPolicy): Promise<ModelRun> {
    runs += 1;
    const type = `model.run${runs}`;
    const receiver = await RecordingTarget.start();
    const { id } = await switchboard.addTarget(type, receiver.url, [type], {
      policy: {
        ordering: 'entity',
        on_dead: policy.stopsLanes ? 'stop' : 'continue',
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
    const model = new DeliveryModel(policy, () => switchboard.clock.now());
    const harness = new ModelRun(type, id, receiver, model);
    receiver.respondWith((response, { headers }) => {
      const event = String(headers['webhook-id']);
      harness.responses.set(event, response);
      model.onRequest(event);
    });
    return harness;
  }

  /** Waits until the expected number of requests is in flight, and checks that the model allowed all of them. */
  async waitForExpectedRequests(): Promise<void> {
    const { model } = this;
    const isAsExpected = () => model.flights.size === model.expectedFlights();
    await until('the expected number of requests', isAsExpected).catch((error: unknown) => {
      throw new Error(
        `${String(error)}: ${model.flights.size} instead of ${model.expectedFlights()}; ${JSON.stringify(model)}`,
      );
    });
    expect(model.errors).toEqual([]);
  }

  async delivery(event: string): Promise<DeliveryDetail> {
    return switchboard.deliveryOnce(event, this.targetId, () => true);
  }

  async close(): Promise<void> {
    await switchboard.removeTarget({ id: this.targetId });
    await this.receiver.close();
  }
}

type Command = fc.AsyncCommand<DeliveryModel, ModelRun>;

/** An event of a deal; deal 0 means no entity. */
class Emit implements Command {
  constructor(private readonly deal: number) {}
  check = () => true;
  async run(model: DeliveryModel, harness: ModelRun): Promise<void> {
    const { deal } = this;
    const lane = deal === 0 ? null : `model:${deal}`;
    // The target is paused meanwhile: it could receive the event before the response with its id arrives here.
    const { json } = await this.notify(model, harness, lane);
    expect(json).toMatchObject({ status: 'accepted' });
    await harness.waitForExpectedRequests();
  }
  toString = () => `emit(${this.deal})`;

  private async notify(model: DeliveryModel, harness: ModelRun, lane: string | null) {
    await switchboard.ask(`/targets/${harness.targetId}/pause`, { method: 'POST' });
    const data = lane === null ? { id: null } : { id: Number(lane.slice('model:'.length)) };
    const response = await switchboard.notify(switchboard.sign(harness.type, data));
    model.emit((response.json as { id: string }).id, lane);
    if (!model.paused) await switchboard.ask(`/targets/${harness.targetId}/resume`, { method: 'POST' });
    return response;
  }
}

class Respond implements Command {
  constructor(
    private readonly pick: number,
    private readonly status: number,
  ) {}
  check = (model: Readonly<DeliveryModel>) => model.flights.size > 0;
  async run(model: DeliveryModel, harness: ModelRun): Promise<void> {
    const events = [...model.flights.keys()];
    const event = events[this.pick % events.length]!;
    const before = { ...model.onResponse(event, this.status) };
    harness.responses.get(event)!.writeHead(this.status).end();
    harness.responses.delete(event);
    const real = await switchboard.deliveryOnce(
      event,
      harness.targetId,
      ({ attempts }) => attempts.length >= before.attempts,
    );
    // If it is due at once, it may be in flight again.
    const again = before.state === 'retrying' && before.due <= switchboard.clock.now() + SLACK_MS;
    if (!again) expect(real.state).toBe(before.state);
    if (!again || real.attempt_count === before.attempts) {
      expect(real).toMatchObject({ blocks_lane: before.blocksLane, attempt_count: before.attempts });
      if (before.state === 'retrying')
        expect(Math.abs(Date.parse(real.due_at!) - before.due)).toBeLessThan(SLACK_MS);
    }
    await harness.waitForExpectedRequests();
  }
  toString = () => `respond(${this.pick}, ${this.status})`;
}

class Advance implements Command {
  constructor(private readonly ms: number) {}
  check = () => true;
  async run(_model: DeliveryModel, harness: ModelRun): Promise<void> {
    switchboard.clock.move(this.ms);
    await harness.waitForExpectedRequests();
  }
  toString = () => `advance(${this.ms / SECOND} s)`;
}

class Cancel implements Command {
  constructor(private readonly pick: number) {}
  check = (model: Readonly<DeliveryModel>) => model.cancellable().length > 0;
  async run(model: DeliveryModel, harness: ModelRun): Promise<void> {
    const all = model.cancellable();
    const { event } = all[this.pick % all.length]!;
    const { id } = await harness.delivery(event);
    model.cancel(event);
    const response = await switchboard.ask(`/deliveries/${id}/discard`, {
      method: 'POST',
      json: { reason: 'the model' },
    });
    expect(response.status).toBe(200);
    await harness.waitForExpectedRequests();
  }
  toString = () => `cancel(${this.pick})`;
}

class Pause implements Command {
  check = (model: Readonly<DeliveryModel>) => !model.paused;
  async run(model: DeliveryModel, harness: ModelRun): Promise<void> {
    await switchboard.ask(`/targets/${harness.targetId}/pause`, { method: 'POST' });
    model.paused = true;
    await harness.waitForExpectedRequests();
  }
  toString = () => 'pause';
}

class Resume implements Command {
  check = (model: Readonly<DeliveryModel>) => model.paused;
  async run(model: DeliveryModel, harness: ModelRun): Promise<void> {
    model.paused = false;
    await switchboard.ask(`/targets/${harness.targetId}/resume`, { method: 'POST' });
    await harness.waitForExpectedRequests();
  }
  toString = () => 'resume';
}

/** Only while nothing is in flight: interrupted attempts are tested with kills. */
class Restart implements Command {
  check = (model: Readonly<DeliveryModel>) => model.flights.size === 0;
  async run(model: DeliveryModel, harness: ModelRun): Promise<void> {
    await switchboard.stop();
    model.onRestart();
    await switchboard.restart();
    const { breaker } = await switchboard.read(target, `/targets/${harness.targetId}`);
    expect(breaker?.probes ?? null).toBe(model.open?.probes ?? null);
    await harness.waitForExpectedRequests();
  }
  toString = () => 'restart';
}

const commands = fc.commands(
  [
    ...Array.from({ length: 3 }, () => fc.nat({ max: 2 }).map((deal) => new Emit(deal))),
    ...Array.from({ length: 5 }, () =>
      fc
        .tuple(fc.nat({ max: 9 }), fc.constantFrom(...STATUSES))
        .map(([pick, status]) => new Respond(pick, status)),
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

it('the queue of a target behaves like the reference model', async () => {
  await fc.assert(
    fc.asyncProperty(
      commands,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (steps, concurrency, stopsLanes) => {
        const harness = await ModelRun.open({ ...POLICY, concurrency, stopsLanes });
        try {
          await fc.asyncModelRun(() => ({ model: harness.model, real: harness }), steps);
          await assertBalanced({ url: switchboard.origin, token: switchboard.adminToken });
        } finally {
          await harness.close();
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 600_000);
