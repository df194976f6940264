import { discardOf, retryOf } from '../../../src/relay/deliveries/dead-letters/dead-letters.service';
import { LOSE_STATES } from '../../../src/relay/events/retention/entity-floor.service';
import type { ReplayFilter } from '../../../src/contract/replay';
import type { CoreRun } from './core-run';
import { typeOf } from './core-run';
import type { Selection } from './model';
import { isQueued } from './model-deliveries';
import type { ModelTarget } from './model-target';
import { contentFilterOf, EVERYTHING, sends, unknownPolicy } from './filters';
import { policyOf, toPolicy } from './policies';

/** An operation. `a` and `b` are any natural numbers, which choose from what there is. */
export interface Operation {
  kind: keyof typeof OPERATIONS;
  a: number;
  b: number;
}

type Run = (run: CoreRun, a: number, b: number) => void | Promise<void>;

const SECOND = 1_000;
const STATUSES = [200, 200, 200, 204, 500, 503, 503, 429, null, null, 404, 404, 410];
const PAUSES = [1, 5, 10, 30, 60, 120, 600, 3_600, 6 * 3_600, 26 * 3_600];
const OUTCOMES = ['dead', 'succeeded', 'open', 'dead'] as const;

/** Lets what is under way go on a little. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

const pick = <Value>(values: readonly Value[], choice: number): Value | undefined =>
  values[choice % values.length];

/** What happens together: none waits for another. */
const TOGETHER = {
  emit: (run, a, b) => run.emit(typeOf(a % 2), `deal:${b % 3}`, Math.floor(b / 3)),

  emitAgain: (run, a) => {
    const event = pick([...run.model.events.values()], a);
    if (event !== undefined) run.emit(event.type, event.entity, 0, event);
  },

  answer: (run, a, b) => {
    const flight = pick(run.receiver.flights, a);
    if (flight !== undefined) run.answer(flight, pick(STATUSES, b)!);
  },

  succeed: (run, a) => {
    const flight = pick(run.receiver.flights, a);
    if (flight !== undefined) run.answer(flight, 200);
  },

  retry: (run, a) => {
    const { queue, targets } = run.model;
    const original = pick(
      queue.all().filter((one) => !isQueued(one)),
      a,
    );
    if (original === undefined) return;
    const { seq, target, n } = original;
    if (targets.get(target)!.isRemoved || targets.get(target)!.isGone) return;
    const key = { seq, target, n };
    const at = run.time.now();
    run.request(run.journal.change({ schedule: [retryOf(key, at)] }), (outcome) => {
      const { n: added } = queue.retryByHand(key, at);
      if (outcome !== null) run.expect('what a retry creates', outcome.scheduled[0]!.n, added);
    });
  },

  discard: (run, a) => {
    const { queue } = run.model;
    const ended = pick(
      queue.all().filter((one) => isQueued(one) || one.state === 'dead'),
      a,
    );
    if (ended === undefined) return;
    const { seq, target, n } = ended;
    const key = { seq, target, n };
    run.request(run.journal.change({ end: [discardOf(key, 'a reason', run.time.now())] }), (outcome) => {
      const { state } = queue.get(key)!;
      const isEndable = isQueued({ state }) || state === 'dead';
      if (outcome !== null) run.expect('whether a discard ends it', outcome.ended[0] !== null, isEndable);
      if (isEndable) queue.cancel(key);
    });
  },
} satisfies Record<string, Run>;

/** What happens alone. */
const ALONE = {
  pass: (run, a) => run.time.advance(pick(PAUSES, a)! * SECOND),

  /** Until right before or after something is due: a retry, a probe, the end of a lifetime. */
  passUntil: (run, a, b) => {
    const { queue, existing } = run.model;
    const times = [
      ...queue
        .all()
        .flatMap((one) =>
          isQueued(one) ? [run.model.endsAt(one), ...(one.due === null ? [] : [one.due])] : [],
        ),
      ...existing.flatMap(({ open }) => (open === null ? [] : [open.probeAt])),
    ];
    const time = pick(
      times.toSorted((one, other) => one - other),
      a,
    );
    const before = b % 2 === 0 ? 500 : 0;
    return run.time.advance(Math.max(0, (time ?? 0) - before - run.time.now()));
  },

  pause: (run, a) => {
    const target = targetOf(run, a);
    const paused = { at: run.time.now(), reason: 'a reason', until: null };
    if (target !== undefined)
      run.request(run.hub.targets.setPaused(target.id, paused), () => (target.isPaused = true));
  },

  resume: (run, a) => {
    const target = pick(
      run.model.existing.filter(({ isPaused }) => isPaused),
      a,
    );
    if (target !== undefined)
      run.request(run.hub.targets.setPaused(target.id, null), () => (target.isPaused = false));
  },

  policy: (run, a, b) => {
    const target = targetOf(run, a);
    const policy = policyOf(b);
    if (target !== undefined)
      run.request(run.hub.targets.update(target.id, { policy: toPolicy(policy) }), () =>
        target.change(policy, run.time.now()),
      );
  },

  filter: (run, a, b) => {
    const target = run.filters ? targetOf(run, a) : undefined;
    const filter = contentFilterOf(b);
    const patch = { filter: filter.filter, policy: unknownPolicy(filter) };
    if (target !== undefined)
      run.request(run.hub.targets.update(target.id, patch), () => target.filterBy(filter, run.model.lastSeq));
  },

  /** While its filter changes, a target is sent events that both filters judge alike. */
  filterAmid: async (run, a, b) => {
    const target = run.filters ? targetOf(run, a) : undefined;
    if (target === undefined) return;
    const entity = `deal:${b % 3}`;
    const filter = contentFilterOf(Math.floor(b / 3));
    let before = run.model.records.statusOf(entity);
    const emitAlike = () => {
      const status = [b % 2, 2, 1, 0].find((one) => target.sends(one, before) === sends(filter, one, before));
      if (status === undefined) return;
      run.emit(typeOf(0), entity, status);
      before = status;
    };
    emitAlike();
    const patch = { filter: filter.filter, policy: unknownPolicy(filter) };
    run.request(run.hub.targets.update(target.id, patch), () => target.filterBy(filter, run.model.lastSeq));
    for (let turns = b % 8; turns > 0; turns -= 1) await turn();
    emitAlike();
  },

  enable: (run, a) => {
    const target = pick(
      run.model.existing.filter(({ isEnabled }) => !isEnabled),
      a,
    );
    if (target !== undefined)
      run.request(run.hub.targets.update(target.id, { enabled: true }), () => target.enable(true));
  },

  disable: (run, a) => {
    const target = targetOf(run, a);
    if (target !== undefined)
      run.request(run.hub.targets.update(target.id, { enabled: false }), () => target.enable(false));
  },

  remove: (run, a) => {
    const target = targetOf(run, a);
    if (target === undefined) return;
    run.request(run.hub.targets.remove(target.id), () => run.model.removeTarget(target.number));
  },

  create: (run, a, b) => {
    const filter = run.filters ? contentFilterOf(Math.floor(a / 2)) : EVERYTHING;
    if (run.model.existing.length < 3)
      run.addTarget(policyOf(b), a % 2 === 0 ? ['*'] : [typeOf(a % 2)], filter);
  },

  replay: (run, a, b) => {
    const named = b % 3 === 0 ? undefined : targetOf(run, b);
    if (named?.isGone) return;
    const selection = selectionOf(run, a);
    run.wanted = { selection, named: named === undefined ? null : [named.number] };
    const selected = run.model.selected(selection, run.wanted.named);
    const started = run.hub.replays.start({
      filter: filterOf(run, selection),
      ...(named !== undefined && { target_ids: [named.id] }),
      rate: 'as_fast_as_allowed',
    });
    run.request(started, (outcome) => {
      if (outcome !== null) run.model.startReplay(outcome.id, selected);
    });
  },

  pauseReplay: (run, a) => {
    const replay = pick(
      [...run.model.replays.values()].filter(({ state }) => state === 'running'),
      a,
    );
    if (replay !== undefined) run.request(run.hub.replays.pause(replay.id), () => (replay.state = 'paused'));
  },

  resumeReplay: (run, a) => {
    const replay = pick(
      [...run.model.replays.values()].filter(({ state }) => state === 'paused'),
      a,
    );
    if (replay !== undefined)
      run.request(run.hub.replays.resume(replay.id), () => (replay.state = 'running'));
  },

  cancelReplay: (run, a) => {
    const unfinished = [...run.model.replays.values()].filter(
      ({ state }) => state === 'running' || state === 'paused',
    );
    const replay = pick(unfinished, a);
    if (replay !== undefined && !run.model.expiresWithin(replay.id, 5 * SECOND))
      run.request(run.hub.replays.cancel(replay.id), () => (replay.state = 'cancelling'));
  },

  prune: (run, a, b) => {
    const seqs = [...run.model.events.keys()].slice(a % 5, (a % 5) + 4);
    const deadLetters = b % 3 > 0;
    const cancel = b % 3 > 1;
    run.pruned = seqs;
    const note = { note: 'removed', at: run.time.now() };
    const step = {
      seqs,
      deadLetters,
      removeIdentitiesBefore: null,
      beforeRemoval: LOSE_STATES,
      ...(cancel && { cancel: note }),
    };
    run.request(run.journal.prune(step), (outcome) => {
      if (outcome === null) return;
      const removed = run.model.prune(seqs, { deadLetters, cancel });
      run.expect('how many events are pruned', outcome.removed, removed.length);
    });
  },

  retain: (run) => void run.hub.retention.tick(),

  restart: (run) => run.kill(),

  takeOver: async (run) => {
    if (run.disk.isShared) await run.takeOver();
  },
} satisfies Record<string, Run>;

export const OPERATIONS = { ...TOGETHER, ...ALONE };

export const isAlone = (kind: Operation['kind']) => kind in ALONE;

const targetOf = (run: CoreRun, choice: number): ModelTarget | undefined => pick(run.model.existing, choice);

function selectionOf(run: CoreRun, choice: number): Selection {
  const kind = choice % 4;
  const rest = Math.floor(choice / 4);
  if (kind === 0) return { kind: 'all' };
  if (kind === 1) return { kind: 'type', type: typeOf(rest % 2) };
  if (kind === 2) return { kind: 'outcome', outcome: pick(OUTCOMES, rest)! };
  return { kind: 'missed_by', target: targetOf(run, rest)?.number ?? 1 };
}

function filterOf(run: CoreRun, selection: Selection): ReplayFilter {
  if (selection.kind === 'type') return { types: [selection.type] };
  if (selection.kind === 'outcome') return { outcomes: [selection.outcome] };
  return selection.kind === 'all' ? {} : { missed_by: run.model.targets.get(selection.target)!.id };
}
