import { entityDetail } from '../../../src/contract/entity';
import { erasure, erasurePreview } from '../../../src/contract/erasure';
import { eventSummary } from '../../../src/contract/event';
import { pageOf } from '../../../src/contract/page';
import type { Switchboard } from '../../support/daemon/switchboard';
import type { SandboxCopilot } from '../../support/fakes/sandbox-copilot';
import { until } from '../../support/until';
import { RepairHub } from '../repairs/repair-hub';

let relay: Switchboard<SandboxCopilot>;
let hub: RepairHub;

beforeAll(async () => {
  hub = await RepairHub.start();
  relay = hub.relay;
});
afterAll(() => relay.end());

/** @returns how many states were kept without an event, by the preview */
async function erase(selection: object): Promise<number> {
  const { until_seq, states } = await relay.read(erasurePreview, '/erasures/preview', {
    method: 'POST',
    json: selection,
  });
  const json = { ...selection, until_seq, reason: 'asked' };
  const { id } = await relay.read(erasure, '/erasures', { method: 'POST', json });
  await until('it is erased', async () => (await relay.read(erasure, `/erasures/${id}`)).state !== 'erasing');
  return states;
}

it('erases what is known of other entities without an event, if it mentions the erased one', async () => {
  const deal = (name: string) =>
    relay.upstream.panel<{ id: number }>('POST', '/deals', { name, notify: false });
  const [mentioning, other] = [await deal('Qwyzzle Vorthbakk'), await deal('Another')];
  const { id } = await hub.start({ purpose: 'baseline' });
  await hub.untilState(id, 'done');
  const previewed = await hub.preview();
  await hub.changeSilently(mentioning.id, { name: 'Of Qwyzzle Vorthbakk' });
  const second = await hub.preview();
  expect((await hub.items(second.id)).map(({ entity }) => entity)).toEqual([`deal:${mentioning.id}`]);
  const mentions = { 'data.name': { $contains: 'Vorthbakk' } };
  // Its state, and what a repair has read.
  expect(await erase({ entity: 'contact:7', mentions })).toBe(2);
  expect(await hub.items(second.id)).toEqual([]);
  expect(previewed.counts.changed).toBe(0);
  expect((await relay.ask(`/entities/deal:${mentioning.id}`)).status).toBe(404);
  expect(await relay.read(entityDetail, `/entities/deal:${other.id}`)).toMatchObject({ name: 'Another' });
});

it('lets a repair store nothing of what is erased while it applies', async () => {
  const [first, second] = (await hub.deals()).sort((a, b) => (`${a.id}` < `${b.id}` ? -1 : 1));
  await hub.learnAll();
  await hub.changeSilently(first!.id, { name: 'First' });
  await hub.changeSilently(second!.id, { name: 'Second' });
  const { id } = await hub.preview();
  relay.clock.stop();
  await relay.ask(`/repairs/${id}/apply`, { method: 'POST', json: { events_per_second: 2 } });
  const stored = async (name: string) =>
    (await relay.read(pageOf(eventSummary), `/events?origin=synthetic&q=${name}`)).data;
  await until('the first is stored', async () => (await stored('First')).length === 1);
  await erase({ entity: `deal:${second!.id}` });
  relay.clock.move(1_000);
  relay.clock.resume();
  await hub.untilState(id, 'done');
  expect(await stored('Second')).toEqual([]);
});

it('lets a baseline know nothing of what is erased while it reads', async () => {
  const { id: deal } = await relay.upstream.panel<{ id: number }>('POST', '/deals', {
    name: 'Unknown',
    notify: false,
  });
  const { id } = await hub.start({ purpose: 'baseline' });
  await hub.untilState(id, 'settling');
  await erase({ entity: `deal:${deal}` });
  await hub.untilState(id, 'done');
  expect((await relay.ask(`/entities/deal:${deal}`)).status).toBe(404);
});

it('lets a repair list nothing of what is erased while it reads, whether it is there or gone', async () => {
  await hub.learnAll();
  const [gone, changed, other] = await hub.deals();
  await hub.changeSilently(gone!.id, null);
  for (const { id } of [changed!, other!]) await hub.changeSilently(id, { name: 'Changed' });
  const { id } = await hub.start();
  await hub.untilState(id, 'settling');
  for (const deal of [gone!, changed!]) await erase({ entity: `deal:${deal.id}` });
  const { counts } = await hub.untilState(id, 'previewed');
  expect((await hub.items(id)).map(({ entity }) => entity)).toEqual([`deal:${other!.id}`]);
  expect(counts).toMatchObject({ changed: 1, missing: 0, absent: 0 });
  expect(relay.logged).not.toContain('repair interrupted');
});
