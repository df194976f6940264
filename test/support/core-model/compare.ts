import type { CoreRun } from './core-run';
import { DEAD_LETTER_DAYS, RETENTION_DAYS } from './hub';
import { isQueued, keyText } from './model-deliveries';
import {
  contradictions,
  describe,
  openingOf,
  readDeliveries,
  readFloor,
  readPosition,
  readReplays,
  readRouted,
  readSeqs,
  readTargets,
  toModel,
} from './stored-state';

const DAY_MS = 24 * 3_600_000;

/** Compares what is stored, counted and under way with the model. */
export async function compare(run: CoreRun): Promise<void> {
  run.expect('events', await findRetained(run), [...run.model.events.keys()]);
  await compareDeliveries(run);
  await compareCounts(run);
  await compareTargets(run);
  if (run.filters) await compareRouting(run);
  checkNothingIsIdle(run);
}

/** Retention decides when it removes what may be removed. @returns the `seq`s of all stored events */
export async function findRetained(run: CoreRun): Promise<number[]> {
  const { model, time } = run;
  const seqs = await readSeqs(run);
  const stored = new Set(seqs);
  const removed = [...model.events.keys()].filter((seq) => !stored.has(seq));
  if (run.filters) run.violations.push(...model.records.keep(await readFloor(run), removed));
  for (const { seq, receivedAt } of model.events.values()) {
    if (stored.has(seq)) continue;
    const days = (time.now() - receivedAt) / DAY_MS;
    const deadLetters = model.deadLetters(seq);
    const isOld = days > (deadLetters > 0 ? DEAD_LETTER_DAYS : RETENTION_DAYS);
    if (!isOld || model.hasUnfinished(seq) || seq === model.lastSeq)
      run.violations.push(`event ${seq} was removed after ${days} days, with ${deadLetters} dead letters`);
    model.removeEvent(seq);
  }
  return seqs;
}

async function compareDeliveries(run: CoreRun): Promise<void> {
  const { model, violations } = run;
  const rows = await readDeliveries(run);
  const stored = new Map(rows.map((row) => [keyText(row), row]));
  for (const one of model.queue.all()) {
    const row = stored.get(keyText(one));
    stored.delete(keyText(one));
    const [found, wanted] = [describe(row && toModel(row)), describe(one)];
    if (found !== wanted) violations.push(`delivery ${keyText(one)} is ${found}, instead of ${wanted}`);
    if (one.replay !== null && row !== undefined) one.createdAt = row.createdAt;
    if (row !== undefined) violations.push(...contradictions(row));
  }
  for (const key of stored.keys()) violations.push(`delivery ${key} should not exist`);
}

async function compareCounts(run: CoreRun): Promise<void> {
  const { model, hub, disk } = run;
  const all = model.queue.all();
  for (const { number } of model.existing) {
    const own = all.filter(({ target }) => target === number);
    const dead = own.filter((one) => model.queue.isDeadLetter(one)).length;
    run.expect(`the backlog of target ${number}`, hub.backlog.queued(number), own.filter(isQueued).length);
    run.expect(`the dead letters of target ${number}`, hub.backlog.dead(number), dead);
  }
  const attempts = await disk.rows<Record<string, number>>(
    `SELECT a.event_seq AS seq, a.target_id AS target, a.n, count(*) AS count, max(number) AS last, min(number) AS first
     FROM attempts a GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  const made = all.filter((one) => one.attempts > 0);
  const wanted = made.map(({ seq, target, n, attempts: count }) => ({
    seq,
    target,
    n,
    count,
    last: count,
    first: 1,
  }));
  run.expect('the attempts', attempts, wanted);
  const replays = (await readReplays(run)).map(({ id, state, deliveries }) => ({ id, state, deliveries }));
  run.expect('the replays', replays, [...model.replays.values()]);
}

async function compareTargets(run: CoreRun): Promise<void> {
  for (const row of await readTargets(run)) {
    const target = run.model.targets.get(row.number)!;
    run.expect(`target ${row.number} removed`, row.deletedAt !== null, target.isRemoved);
    if (target.isRemoved) continue;
    run.expect(`target ${row.number} paused`, row.pausedAt !== null, target.isPaused);
    run.expect(`target ${row.number} enabled`, row.enabled === 1, target.isEnabled);
    run.expect(`target ${row.number} routed`, row.routing !== null, target.isRouted);
    run.expect(`target ${row.number} gone`, row.disabledAt !== null, target.isGone);
    const state = run.hub.breakers.of(row.number).open;
    const inMemory = state && { probes: state.probes, probeAt: state.probeAt };
    run.expect(`the circuit breaker of target ${row.number}`, inMemory, target.open);
    if (!run.hasLostWrites)
      run.expect(`the stored circuit breaker of target ${row.number}`, openingOf(row), target.storedOpen);
  }
}

async function compareRouting(run: CoreRun): Promise<void> {
  const { model, hub } = run;
  const position = model.existing.some(({ isRouted }) => isRouted) ? model.lastSeq : null;
  run.expect('the position of the router', await readPosition(run), position);
  run.expect(
    'what the router has created',
    await readRouted(run),
    [...model.router.created].map(([seq, count]) => ({ seq, count })),
  );
  const wanted = model.records.states();
  const found = await hub.states.heads(
    wanted.map(({ entity }) => entity),
    model.lastSeq,
  );
  const states = found.map(({ entity, seq }) => ({ entity, seq }));
  run.expect(
    'the states',
    states.toSorted((a, b) => (a.entity < b.entity ? -1 : 1)),
    wanted,
  );
}

/** What is due and has a slot is under way. */
function checkNothingIsIdle({ model, time, violations }: CoreRun): void {
  for (const one of model.queue.all()) {
    const target = model.targets.get(one.target)!;
    if (!isQueued(one) || target.isPaused || target.isRemoved || model.flights.has(keyText(one))) continue;
    if (!target.isDue(one, time.now()) || model.mustEnd(one)) continue;
    if (target.refuses(one, model.flightsTo(one.target), time.now()) === null)
      violations.push(`delivery ${keyText(one)} is due, and is not sent`);
  }
}
