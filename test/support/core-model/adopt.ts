import { findRetained } from './compare';
import type { CoreRun } from './core-run';
import { fromFilter } from './filters';
import { isQueued, keyText, type ModelDelivery } from './model-deliveries';
import { fromPolicy } from './policies';
import {
  contradictions,
  describe,
  openingOf,
  readDeliveries,
  readEvents,
  readPosition,
  readReplays,
  readTargets,
  toModel,
} from './stored-state';

/**
 * After a crash: what is stored must be as at some time of the step, and whole; the model continues with it. Nothing
 * that was acknowledged may be missing.
 */
export async function adopt(run: CoreRun): Promise<void> {
  run.applyDoubts();
  const doubted = await adoptEvents(run);
  await adoptTargets(run);
  await adoptRouted(run, doubted);
  await adoptDeliveries(run, doubted);
  await adoptReplays(run);
  checkLanes(run);
}

/** @returns the deliveries of events that were stored without an answer */
async function adoptEvents(run: CoreRun): Promise<Map<string, ModelDelivery>> {
  const { model, violations } = run;
  const doubted = new Map<string, ModelDelivery>();
  const stored = await readEvents(run);
  for (const { seq, body } of stored) {
    if (model.events.has(seq)) continue;
    const number = (JSON.parse(String(body)) as { n: number }).n;
    const event = run.unanswered.get(number);
    if (event === undefined) violations.push(`event ${seq} should not exist`);
    else {
      model.store({ ...event, seq }, model.plan(event));
      for (const one of model.queue.ofEvent(seq)) doubted.set(keyText(one), one);
    }
  }
  run.unanswered.clear();
  for (const seq of run.pruned)
    if (model.events.has(seq) && !stored.some((event) => event.seq === seq)) model.loseEvent(seq);
  await findRetained(run);
  return doubted;
}

async function adoptTargets(run: CoreRun): Promise<void> {
  const { model } = run;
  for (const row of await readTargets(run)) {
    const policy = fromPolicy(row.policy);
    const filter = fromFilter(row.filter, row.policy);
    if (!model.targets.has(row.number))
      model.addTarget(row.number, row.id, JSON.parse(row.events) as string[], policy, filter);
    const target = model.targets.get(row.number)!;
    target.policy = policy;
    target.filter = filter;
    target.isRouted = row.routing !== null;
    target.isPaused = row.pausedAt !== null;
    target.isEnabled = row.enabled === 1;
    target.isRemoved = row.deletedAt !== null;
    target.isGone = row.disabledAt !== null;
    const open = openingOf(row);
    const allowed = [target.storedOpen, ...target.storedBefore].map((one) => JSON.stringify(one));
    if (!run.hasLostWrites && !target.isRemoved && !allowed.includes(JSON.stringify(open)))
      run.violations.push(
        `the stored breaker of target ${row.number}: ${JSON.stringify(open)}, not ${allowed.join()}`,
      );
    target.restart(policy.breaker === null ? null : open);
    target.storedOpen = open;
  }
}

/** What the router has evaluated is stored with its position. */
async function adoptRouted(run: CoreRun, doubted: Map<string, ModelDelivery>): Promise<void> {
  const position = await readPosition(run);
  for (const one of run.model.router.route(position ?? run.model.lastSeq)) doubted.set(keyText(one), one);
}

async function adoptDeliveries(run: CoreRun, doubted: ReadonlyMap<string, ModelDelivery>): Promise<void> {
  const { model, violations } = run;
  const rows = await readDeliveries(run);
  const found = new Set(rows.map(keyText));
  const removed = (await readTargets(run)).filter(({ deletedAt }) => deletedAt !== null);
  for (const { number } of removed) model.removeTarget(number);
  for (const row of rows) {
    violations.push(...contradictions(row));
    const before = model.queue.before.get(keyText(row)) ?? [];
    const states = [model.queue.get(row), ...before];
    if (removed.some(({ number }) => number === row.target))
      states.push(
        ...states.map((one) => one && { ...one, state: 'cancelled' as const, due: null, blocks: false }),
      );
    // It may have been stored before the result of the one ahead of it.
    const added = model.queue.get(row);
    if (before.includes(null) && added?.state === 'pending' && added.lane !== null)
      states.push({ ...added, state: 'waiting' });
    // Before it ended, the one ahead of it may have.
    if (added !== undefined && !isQueued(added))
      for (const one of before)
        if (one?.state === 'waiting' && one.lane !== null) states.push({ ...one, state: 'pending' });
    const allowed = states.map((one) => describe(one));
    const isPlanned = doubted.has(keyText(row)) && row.attempts === 0;
    const isReplayed = row.replay !== null && !model.replays.has(row.replay) && row.attempts === 0;
    if (!allowed.includes(describe(toModel(row))) && !isPlanned && !isReplayed)
      violations.push(
        `after a crash, delivery ${keyText(row)} is ${describe(toModel(row))}, not ${allowed.join(' or ')}`,
      );
  }
  for (const one of model.queue.all()) {
    const existedAlways = model.queue.before.get(keyText(one))?.includes(null) !== true;
    if (!found.has(keyText(one)) && (existedAlways || doubted.has(keyText(one))))
      violations.push(`after a crash, delivery ${keyText(one)} is missing`);
  }
  model.queue.replaceAll(rows.map(toModel));
  // The next start completes a removal.
  for (const { number } of removed) model.removeTarget(number);
}

async function adoptReplays(run: CoreRun): Promise<void> {
  const { model, wanted } = run;
  const stored = await readReplays(run);
  for (const { id, state, deliveries, isPlanned } of stored) {
    const known = model.replays.get(id);
    // Its position is stored with its deliveries.
    if (wanted !== null && known === undefined)
      run.expect(
        'the deliveries of a replay',
        model.queue.all().filter((one) => one.replay === id).length,
        deliveries,
      );
    if (isPlanned === 0) {
      model.startReplay(id, model.selected(wanted!.selection, wanted!.named));
      continue;
    }
    const replay = known ?? { id, state: 'running' as const, deliveries };
    model.replays.set(id, replay);
    replay.state = state as typeof replay.state;
  }
}

/** Only the head of a lane is due. */
function checkLanes({ model, violations }: CoreRun): void {
  for (const one of model.queue.all()) {
    if (one.lane === null || model.targets.get(one.target)!.isRemoved) continue;
    const isHead = model.queue.isHead(one);
    if (isHead && one.state === 'waiting') violations.push(`delivery ${keyText(one)} waits for nothing`);
    const isDue = one.state === 'pending' || one.state === 'retrying' || one.blocks;
    if (!isHead && isDue) violations.push(`delivery ${keyText(one)} is due out of order`);
  }
}
