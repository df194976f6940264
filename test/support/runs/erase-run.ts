import { setTimeout as pause } from 'node:timers/promises';
import type { Erasure, ErasurePreview } from '../../../src/contract/erasure';
import type { Daemon } from '../daemon/daemon';
import type { DaemonStorage, DaemonStore } from '../daemon/daemon-store';
import { assertBalanced } from '../daemon/ledger';
import { RetryingSender } from '../fakes/retrying-sender';
import { until } from '../until';
import { runWitnessed } from './witnessed-run';

const CANARY = 'canary-of-an-erased-person';
const ENTITY = 'contact:7';
const FINISHED_WITHIN_MS = 900_000;

const hexOf = (text: string) => Buffer.from(text).toString('hex');

export interface ErasePlan {
  /** How many events of the entity are stored. */
  events: number;
  /** How often the daemon is killed, each time within so many ms after it leads. */
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
  /** Before the erasure, and after it. */
  isLegible: [boolean, boolean];
}

/** Erases an entity while notifications of others arrive and the daemon is killed again and again. */
export function runErasure(plan: ErasePlan, storage: DaemonStorage): Promise<EraseFindings> {
  return runWitnessed(
    {},
    async ({ daemon, client }) => {
      const store = storage.storeOf(daemon);
      const isLegible = async () => {
        const contents = await store.contents();
        return contents.includes(CANARY) || contents.includes(hexOf(CANARY));
      };
      await daemon.stop();
      await storeContact(store, plan.events);
      const wasLegible = await isLegible();
      await daemon.restart();
      const sender = new RetryingSender(client, plan.perSecond, daemon.webhook.webhook_id);
      sender.start();
      try {
        const id = await start(daemon);
        /** Undefined while no daemon leads, as after a kill on PostgreSQL. */
        const read = async () => {
          const { status, body } = await daemon.request('GET', `/erasures/${id}`);
          return status === 200 ? (body as Erasure) : undefined;
        };
        let killedWhileErasing = 0;
        for (let i = 0; i < plan.kills; i += 1) {
          await until('it leads', async () => (await read()) !== undefined);
          await pause(Math.random() * plan.withinMs);
          await daemon.kill();
          const [row] = await store.rows<{ state: string }>('SELECT state FROM erasures');
          if (row!.state === 'erasing') killedWhileErasing += 1;
          await daemon.restart();
        }
        await sender.waitForAcknowledged(1, FINISHED_WITHIN_MS);
        sender.cancel();
        const isDone = async () => (await read())?.state === 'done';
        await until('it is done', isDone, FINISHED_WITHIN_MS).catch(async (error: unknown) => {
          throw new Error(`${String(error)}; it is ${JSON.stringify(await read())}\n${daemon.output}`);
        });
        await assertBalanced(daemon);
        const erasure = (await read())!;
        await daemon.stop();
        const rows = await store.rows<{ body: Buffer }>('SELECT body FROM events');
        const stored = new Set(rows.map(({ body }) => body.toString()));
        const { acknowledged } = sender;
        const lost = acknowledged.filter(({ body }) => !stored.has(body.toString())).length;
        return {
          erasure,
          killedWhileErasing,
          lost,
          acknowledged: acknowledged.length,
          isLegible: [wasLegible, await isLegible()],
        };
      } finally {
        sender.cancel();
      }
    },
    storage.environment,
  );
}

/** Long enough ago that nothing waits for repetitions. */
async function storeContact(store: DaemonStore, events: number): Promise<void> {
  const body = hexOf(JSON.stringify({ event: 'contact.updated', data: { id: 7, name: CANARY } }));
  await store.exec(`
    INSERT INTO events(seq, received_at, type, entity, name, headers, signature_header, signature_value, planned, body)
      WITH RECURSIVE more(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM more WHERE i < ${events})
      SELECT (SELECT coalesce(max(seq), 0) FROM events) + i, ${Date.now() - 7_200_000} + i, 'contact.updated', '${ENTITY}',
        '${CANARY}', '[]', 'x-signature', 'ab', 0, ${store.bytes(body)} FROM more`);
  await store.noteNewest();
}

async function start(daemon: Daemon): Promise<string> {
  const { body } = await daemon.request('POST', '/erasures/preview', { entity: ENTITY });
  const { until_seq } = body as ErasurePreview;
  const input = { entity: ENTITY, until_seq, reason: 'asked for it' };
  return ((await daemon.request('POST', '/erasures', input)).body as Erasure).id;
}
