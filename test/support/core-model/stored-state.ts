import type { CoreRun } from './core-run';
import { isQueued, keyText, type ModelDelivery } from './model-deliveries';
import type { ModelOpening } from './model-target';
import type { FloorRow } from './records';

export type DeliveryRow = Omit<ModelDelivery, 'blocks' | 'due'> & {
  dueAt: number | null;
  finishedAt: number | null;
};

export interface TargetRow {
  number: number;
  id: string;
  events: string;
  policy: string;
  filter: string | null;
  routing: string | null;
  enabled: number;
  disabledAt: number | null;
  pausedAt: number | null;
  deletedAt: number | null;
  breaker: string | null;
}

export interface ReplayRow {
  id: string;
  state: string;
  deliveries: number;
  isPlanned: number;
}

export interface EventRow {
  seq: number;
  receivedAt: number;
  body: Buffer;
}

/** All deliveries that there are, in order of their keys: the only place that knows how they are stored. */
export const readDeliveries = ({ disk }: CoreRun): Promise<DeliveryRow[]> =>
  disk.rows<DeliveryRow>(
    `SELECT event_seq AS seq, target_id AS target, n, lane, state, attempts, uncounted, class,
       created_at AS "createdAt", replay_id AS replay, due_at AS "dueAt", finished_at AS "finishedAt"
     FROM deliveries ORDER BY event_seq, target_id, n`,
  );

export const readTargets = ({ disk }: CoreRun): Promise<TargetRow[]> =>
  disk.rows<TargetRow>(
    `SELECT number, id, events, policy, filter, routing, enabled, disabled_at AS "disabledAt", paused_at AS "pausedAt",
       deleted_at AS "deletedAt", breaker FROM targets ORDER BY number`,
  );

export const readReplays = ({ disk }: CoreRun): Promise<ReplayRow[]> =>
  disk.rows<ReplayRow>(
    `SELECT id, state, deliveries, CASE WHEN position >= until_seq THEN 1 ELSE 0 END AS "isPlanned"
     FROM replays ORDER BY number`,
  );

export const readEvents = ({ disk }: CoreRun): Promise<EventRow[]> =>
  disk.rows<EventRow>('SELECT seq, received_at AS "receivedAt", body FROM events ORDER BY seq');

export const readSeqs = async ({ disk }: CoreRun): Promise<number[]> =>
  (await disk.rows<{ seq: number }>('SELECT seq FROM events ORDER BY seq')).map(({ seq }) => seq);

/** Up to which event the router has evaluated; null if no target needs it. */
export const readPosition = async ({ disk }: CoreRun): Promise<number | null> =>
  (await disk.rows<{ position: number }>('SELECT position FROM router'))[0]?.position ?? null;

export const readRouted = ({ disk }: CoreRun): Promise<{ seq: number; count: number }[]> =>
  disk.rows('SELECT event_seq AS seq, count FROM routed ORDER BY event_seq');

export const readFloor = ({ disk }: CoreRun): Promise<FloorRow[]> =>
  disk.rows('SELECT entity, seq FROM entity_floor ORDER BY entity');

export const toModel = ({ dueAt, finishedAt, ...row }: DeliveryRow): ModelDelivery => ({
  ...row,
  due: row.state === 'retrying' ? dueAt : null,
  blocks: row.state === 'dead' && finishedAt === null,
});

export function openingOf({ breaker }: TargetRow): ModelOpening | null {
  if (breaker === null) return null;
  const { probes, probe_at: probeAt } = JSON.parse(breaker) as { probes: number; probe_at: number };
  return { probes, probeAt };
}

/** What a delivery is, to compare it. A replay creates its own in a moment, in steps. */
export function describe(one: ModelDelivery | null | undefined): string {
  if (one === null || one === undefined) return 'none';
  const { state, attempts, uncounted, lane, due, replay, blocks, createdAt } = one;
  const created = replay === null ? createdAt : replay;
  return `${state} after ${attempts} (${uncounted}), class ${one.class}, due ${due}, ${blocks ? 'stops' : 'in'} lane ${lane}, of ${created}`;
}

/** What no row may say. */
export function contradictions(row: DeliveryRow): string[] {
  const isDue = row.state === 'pending' || row.state === 'retrying';
  const mayBeOpen = isQueued(row) || (row.state === 'dead' && row.lane !== null);
  const found: string[] = [];
  if ((row.dueAt !== null) !== isDue)
    found.push(`delivery ${keyText(row)} is ${row.state}, due ${row.dueAt}`);
  if (row.finishedAt === null ? !mayBeOpen : isQueued(row))
    found.push(`delivery ${keyText(row)} is ${row.state}, finished ${row.finishedAt}`);
  return found;
}
