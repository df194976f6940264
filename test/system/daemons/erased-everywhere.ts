import { erasure, type ErasurePreview } from '../../../src/contract/erasure';
import type { Page } from '../../../src/contract/page';
import type { Daemon } from '../../support/daemon/daemon';
import { WitnessTarget } from '../../support/fakes/witness-target';
import { dealNotification } from '../../support/notification';
import { until } from '../../support/until';
import { DAEMONS, group } from './three-daemons';

const NAME = 'Qwyzzle Vorthbakk';
const DEAL = 7741909;

/** @returns the id of the event */
async function notify(daemon: Daemon, name: string): Promise<string> {
  const { body } = dealNotification({ id: DEAL, name, webhookId: group.webhook.webhook_id });
  return (await group.sendTo(daemon, body)).id!;
}

export function erasedEverywhere(): void {
  let leader: Daemon;
  let follower: Daemon;
  const witnesses: WitnessTarget[] = [];
  const ids: string[] = [];

  beforeAll(async () => {
    leader = await group.leader();
    follower = group.daemons.find((daemon) => daemon !== leader)!;
    for (let n = 0; n < DAEMONS; n += 1) {
      const witness = await WitnessTarget.start();
      witnesses.push(witness);
      const more = {
        policy: { ordering: 'none', concurrency: 1 },
        filter: { 'data.name': { $exists: true } },
      };
      ids.push((await leader.addTarget(`erased ${n}`, witness.url, more)).id);
    }
    await until('each daemon delivers to one', async () => {
      const entries = await group.list(leader);
      return ids.every((id) => entries.some(({ target_ids: own }) => own.includes(id)));
    });
  });
  afterAll(async () => {
    for (const id of ids) await leader.request('DELETE', `/targets/${id}`);
    for (const witness of witnesses) await witness.close();
  });

  it('is sent by no owner of a target any more, and shown by no daemon', async () => {
    for (const witness of witnesses) witness.holdResponses();
    const erased: string[] = [];
    for (const daemon of [follower, leader, follower])
      erased.push(await notify(daemon, `${NAME} ${erased.length}`));
    await until('every owner sends the first', () => witnesses.every(({ heldCount }) => heldCount === 1));
    const selection = { entity: `deal:${DEAL}` };
    const { body: preview } = await follower.request('POST', '/erasures/preview', selection);
    const { until_seq } = preview as ErasurePreview;
    const input = { ...selection, until_seq, reason: 'asked' };
    const { id } = erasure.parse((await follower.request('POST', '/erasures', input)).body);
    await until('it is erased', async () => {
      const { state } = await follower.get<{ state: string }>(`/erasures/${id}`);
      return state !== 'erasing';
    });
    for (const witness of witnesses) witness.releaseResponses();
    const later = await notify(follower, 'Another');
    await until('all receive what is stored later', () =>
      witnesses.every(({ received }) => received.some((one) => one.id === later)),
    );
    for (const { received } of witnesses)
      expect(received.filter((one) => erased.includes(one.id)).map((one) => one.id)).toEqual([erased[0]]);
    for (const daemon of group.daemons) {
      const shown = [];
      for (const path of ['/events?limit=200', '/dead-letters', `/events?q=Vorthbakk`, '/alerts'])
        shown.push((await daemon.request('GET', path)).body);
      for (const event of erased) shown.push((await daemon.request('GET', `/events/${event}`)).body);
      expect((shown[0] as Page<{ id: string }>).data.map((one) => one.id)).toEqual(
        expect.arrayContaining(erased),
      );
      expect(JSON.stringify(shown)).not.toContain('Vorthbakk');
      expect((await daemon.request('GET', `/events/${erased[1]}/body`)).status).toBe(410);
    }
  });
}
