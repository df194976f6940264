import type { PayloadNode, PayloadType, PayloadTypes } from '../../src/contract/payload-type';
import { Daemon } from '../support/daemon/daemon';
import { postgresEnvironment } from '../support/daemon/database-environment';
import { FakeCopilot } from '../support/fakes/copilot';
import { WebhookSender } from '../support/fakes/webhook-sender';
import { dealNotification } from '../support/notification';
import { TestPostgres } from '../support/postgres';
import { report } from '../support/runs/report';
import { until } from '../support/until';

const KILLS = Number(process.env['KILLS'] ?? 6);
const EVENTS = 300;
/** Schemas are stored every minute. */
const STORED_WITHIN_MS = 120_000;

describe.each(['sqlite', 'postgres'])(
  'schemas of payloads on %s, killed while they are learned',
  (engine) => {
    let upstream: FakeCopilot;
    let postgres: TestPostgres | undefined;
    let daemon: Daemon;
    let sent = 0;

    beforeAll(async () => {
      upstream = await FakeCopilot.start();
      if (engine === 'postgres') postgres = await TestPostgres.start();
      const environment = postgres && postgresEnvironment(await postgres.createDatabase());
      daemon = await Daemon.startConnected({ upstream, ...(environment && { environment }) });
    });
    afterAll(async () => {
      await daemon.close();
      await postgres?.stop();
      await upstream.close();
    });

    /** Undefined while no daemon leads, as after a kill on PostgreSQL. */
    const read = async () => {
      const { status, body } = await daemon.request('GET', '/types');
      return status === 200 ? (body as PayloadTypes).data[0] : undefined;
    };

    async function send(): Promise<void> {
      const sender = new WebhookSender(daemon.webhook);
      for (let i = 0; i < EVENTS; i += 1) {
        const { body } = dealNotification({ id: sent + 1, webhookId: daemon.webhook.webhook_id });
        expect(await sender.send(body)).toMatchObject({ status: 200, code: 'accepted' });
        sent += 1;
      }
      sender.close();
    }

    it('each event counts once, whether its count was stored before the kill or not', async () => {
      await send();
      await until('they are stored', async () => (await read())?.version === 1, STORED_WITHIN_MS);
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await send();
        if (kill % 2 === 0) await until('all are examined', async () => (await read())?.examined === sent);
        await daemon.kill();
        await daemon.restart();
        await until('it leads', async () => (await read()) !== undefined);
        report(`kill ${kill} on ${engine}: ${sent} sent, ${(await read())?.examined ?? 0} counted as stored`);
      }
      await until('all are examined', async () => (await read())?.examined === sent);
      const { events, root } = await daemon.get<PayloadType>('/types/deal.updated');
      const { data } = (root as unknown as PayloadNode).properties!;
      expect([events, data!.properties!['id']!.types]).toEqual([sent, { integer: sent }]);
    }, 600_000);
  },
);
