import { setTimeout as pause } from 'node:timers/promises';
import type { Erasure, ErasurePreview } from '../../../src/contract/erasure';
import { readFileSync } from 'node:fs';
import type { Daemon } from '../daemon/daemon';
import { assertBalanced } from '../daemon/ledger';
import { RetryingSender } from '../fakes/retrying-sender';
import { until } from '../until';
import { runWitnessed } from './witnessed-run';

const CANARY = 'canary-of-an-erased-person';
const ENTITY = 'contact:7';
const FINISHED_WITHIN_MS = 300_000;

export interface ErasePlan {
  /** How many events of the entity are stored. */
  events: number;
  /** How often the daemon is killed, each time within so many ms after it listens. */
  kills: number;
  withinMs: number;
  /** Notifications of others. */
  perSecond: number;
}

export interface EraseFindings {
  erasure: Erasure;
  /** How often it was killed before all events were erased. */
  killedWhileErasing: number;
  /** Acknowledged events of others that are not stored, or not as they were sent. */
  lost: number;
  acknowledged: number;
  isLegible: boolean;
}

/** Erases an entity while notifications of others arrive and the daemon is killed again and again. */
export function runErasure(plan: ErasePlan): Promise<EraseFindings> {
  return runWitnessed({}, async ({ daemon, client }) => {
    await storeContact(daemon, plan.events);
    const sender = new RetryingSender(client, plan.perSecond, daemon.webhook.webhook_id);
    sender.start();
    try {
      const id = await start(daemon);
      const state = () => daemon.get<Erasure>(`/erasures/${id}`);
      let killedWhileErasing = 0;
      for (let i = 0; i < plan.kills; i += 1) {
        await pause(Math.random() * plan.withinMs);
        await daemon.kill();
        const [row] = daemon.rows<{ state: string }>('SELECT state FROM erasures');
        if (row!.state === 'erasing') killedWhileErasing += 1;
        await daemon.restart();
      }
      await sender.waitForAcknowledged(1, FINISHED_WITHIN_MS);
      sender.cancel();
      await until('it is done', async () => (await state()).state === 'done', FINISHED_WITHIN_MS);
      await assertBalanced(daemon);
      const erasure = await state();
      await daemon.stop();
      const stored = new Set(
        daemon.rows<{ body: Buffer }>('SELECT body FROM events').map(({ body }) => body.toString()),
      );
      const acknowledged = sender.acknowledged;
      const lost = acknowledged.filter(({ body }) => !stored.has(body.toString())).length;
      const isLegible = readFileSync(daemon.databaseFile).includes(CANARY);
      return { erasure, killedWhileErasing, lost, acknowledged: acknowledged.length, isLegible };
    } finally {
      sender.cancel();
    }
  });
}

/** Long enough ago that nothing waits for repetitions. */
async function storeContact(daemon: Daemon, events: number): Promise<void> {
  await daemon.stop();
  const body = JSON.stringify({ event: 'contact.updated', data: { id: 7, name: CANARY } });
  daemon.alterDatabase(`
    WITH RECURSIVE more(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM more WHERE i < ${events})
    INSERT INTO events(seq, received_at, type, entity, name, headers, signature_header, signature_value, planned, body)
      SELECT (SELECT coalesce(max(seq), 0) FROM events) + i, ${Date.now() - 7_200_000} + i, 'contact.updated', '${ENTITY}',
        '${CANARY}', '[]', 'x-signature', 'ab', 0, CAST('${body}' || char(10) AS BLOB) FROM more;`);
  await daemon.restart();
}

async function start(daemon: Daemon): Promise<string> {
  const { body } = await daemon.request('POST', '/erasures/preview', { entity: ENTITY });
  const { until_seq } = body as ErasurePreview;
  const input = { entity: ENTITY, until_seq, reason: 'asked for it' };
  return ((await daemon.request('POST', '/erasures', input)).body as Erasure).id;
}
