import * as fc from 'fast-check';
import { adopt } from './adopt';
import { compare } from './compare';
import { CoreRun, typeOf } from './core-run';
import type { Disk } from './disk';
import { EVERYTHING, contentFilterOf } from './filters';
import { isFailure, type Fault } from './faults';
import { DEAD_LETTER_DAYS } from './hub';
import { isQueued } from './model-deliveries';
import { isAlone, OPERATIONS, type Operation } from './operations';
import { policyOf } from './policies';
import { SimulatedTime } from './simulated-time';

/** Operations that do not wait for each other, and what happens at one of their commits. */
interface Step {
  operations: Operation[];
  fault: { kind: Fault; commits: number } | null;
}

interface Scenario {
  policies: number[];
  /** Of the first targets; null: no target has one. */
  filters: number[] | null;
  steps: Step[];
}

const HOUR_MS = 3_600_000;
/** A failing scenario is shortened for this long. */
const SHORTEN_WITHIN_MS = 60_000;
const MOST_ROUNDS_TO_END = 300;

const WEIGHTS: Partial<Record<Operation['kind'], number>> = {
  emit: 30,
  answer: 30,
  succeed: 15,
  pass: 12,
  passUntil: 12,
};

const operation = fc.oneof(
  ...(Object.keys(OPERATIONS) as Operation['kind'][]).map((kind) => ({
    weight: WEIGHTS[kind] ?? 3,
    arbitrary: fc.record({ kind: fc.constant(kind), a: fc.nat(100), b: fc.nat(1_200) }),
  })),
);

const scenarioOn = ({ faults }: Disk, filters: boolean): fc.Arbitrary<Scenario> => {
  const kind = fc.constantFrom(...faults);
  const fault = fc.option(fc.record({ kind, commits: fc.integer({ min: 1, max: 3 }) }), { freq: 7 });
  const step = fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 4 }), fault });
  return fc.record({
    policies: fc.array(fc.nat(1_200), { minLength: 2, maxLength: 2 }),
    filters: filters ? fc.array(fc.nat(100), { minLength: 2, maxLength: 2 }) : fc.constant(null),
    steps: fc.array(step, { minLength: 1, maxLength: 24, size: 'max' }),
  });
};

/** Runs these seeds one after the other. @param filters whether targets have some @throws Error see `runSeed` */
export async function runSeeds(first: number, count: number, disk: Disk, filters = false): Promise<void> {
  for (let seed = first; seed < first + count; seed += 1) await runSeed(seed, disk, filters);
}

/** Runs what follows from a seed. @throws Error with the shortest scenario that fails, or that was found in time */
function runSeed(seed: number, disk: Disk, filters: boolean): Promise<void> {
  let failedAt = Infinity;
  const property = fc.asyncProperty(scenarioOn(disk, filters), async (scenario) => {
    if (Date.now() - failedAt > SHORTEN_WITHIN_MS) return;
    try {
      await runScenario(scenario, disk);
    } catch (error) {
      failedAt = Math.min(failedAt, Date.now());
      throw error;
    }
  });
  return fc.assert(property, { seed, numRuns: 1, unbiased: true });
}

async function runScenario({ policies, filters, steps }: Scenario, disk: Disk): Promise<void> {
  await disk.clear();
  const time = new SimulatedTime(() => disk.idle());
  const restore = time.install();
  const run = new CoreRun(disk, time, filters !== null);
  try {
    await run.start();
    for (const [i, policy] of policies.entries()) {
      run.addTarget(
        policyOf(policy),
        i === 0 ? ['*'] : [typeOf(0)],
        filters === null ? EVERYTHING : contentFilterOf(filters[i]!),
      );
      await run.round();
    }
    for (const [i, step] of steps.entries()) {
      await runStep(run, step);
      failOnViolation(run, `step ${i + 1}, ${describeStep(step)}`);
    }
    await end(run);
    if (run.filters) await outliveEvents(run);
    failOnViolation(run, 'the end');
  } finally {
    await run.kill();
    restore();
  }
}

async function runStep(run: CoreRun, { operations, fault: planned }: Step): Promise<void> {
  const first = operations[0]!;
  const together = isAlone(first.kind) ? [first] : operations.filter(({ kind }) => !isAlone(kind));
  // What could not be removed is completed at the next start; what is planned amid a change is known without a fault only.
  const isUnfit =
    first.kind === 'takeOver' ||
    first.kind === 'filterAmid' ||
    (first.kind === 'remove' && planned !== null && isFailure(planned.kind));
  if (planned !== null && !isUnfit) run.faults.plan(planned.kind, planned.commits);
  for (const { kind, a, b } of together) {
    if (run.receiver.isCut) break;
    await OPERATIONS[kind](run, a, b);
    // An outcome is decided before the next one; what is written together still is.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }
  await finishStep(run);
}

async function finishStep(run: CoreRun): Promise<void> {
  await run.round();
  run.faults.cancel();
  if (run.faults.hasFailed) await run.round();
  if (run.receiver.isCut) {
    await run.kill();
    await adopt(run);
    run.faults.happened = null;
    await run.start();
    await run.round();
  }
  run.faults.happened = null;
  await compare(run);
  run.endStep();
}

/** Every receiver works again: everything that was acknowledged is finished. */
async function end(run: CoreRun): Promise<void> {
  const { model, receiver, time } = run;
  for (const target of model.existing.filter(({ isPaused }) => isPaused))
    run.request(run.hub.targets.setPaused(target.id, null), () => (target.isPaused = false));
  await finishStep(run);
  for (let rounds = 0; model.queue.all().some((one) => isQueued(one) && !isStopped(run, one)); rounds += 1) {
    if (rounds > MOST_ROUNDS_TO_END)
      throw new Error('Deliveries remain queued although every receiver works.');
    for (const flight of receiver.flights.slice()) run.answer(flight, 200);
    if (receiver.flights.length === 0) await time.advance(HOUR_MS / 6);
    await finishStep(run);
    failOnViolation(run, 'the end');
  }
}

/** Retention removes what there is, and new events are compared with what it has kept. */
async function outliveEvents(run: CoreRun): Promise<void> {
  await run.time.advance(2 * DEAD_LETTER_DAYS * 24 * HOUR_MS);
  void run.hub.retention.tick();
  await finishStep(run);
  for (const number of [0, 1, 2]) run.emit(typeOf(0), `deal:${number}`, number);
  await finishStep(run);
}

/** Whether it waits behind a dead letter. */
const isStopped = ({ model }: CoreRun, one: Parameters<typeof model.queue.isHead>[0]) =>
  one.lane !== null && model.queue.inLane(one.target, one.lane)[0]!.blocks;

function failOnViolation({ violations }: CoreRun, at: string): void {
  if (violations.length > 0) throw new Error(`After ${at}:\n${violations.join('\n')}`);
}

const describeStep = ({ operations, fault: planned }: Step) =>
  [
    operations.map(({ kind, a, b }) => `${kind}(${a}, ${b})`).join(' '),
    ...(planned === null ? [] : [`${planned.kind}, at commit ${planned.commits}`]),
  ].join('; ');
