import { useFeatureHarness } from '../../support/daemon/feature-harness';
import { OutagesHarness } from './outages-harness';

const MINUTE_MS = 60_000;

describe('notifications that are refused', () => {
  const hub = useFeatureHarness(new OutagesHarness());

  beforeEach(async () => {
    await hub.open();
    await hub.connect();
    await hub.receive(1);
  });

  const now = () => new Date(hub.workspace.clock.time).toISOString();
  const found = async () => (await hub.list()).filter(({ kind }) => kind === 'not_stored');
  const pass = async (minutes: number) => {
    await hub.advance(minutes * MINUTE_MS);
    await hub.checkRefusals();
  };

  it('are recorded at once, and later ones together a quarter of an hour after them', async () => {
    await hub.refuse();
    expect(await found()).toMatchObject([{ began_at: now(), ended_at: now(), after_seq: 1 }]);
    await pass(1);
    await hub.refuse();
    const secondAt = now();
    await pass(10);
    await hub.refuse();
    const thirdAt = now();
    await pass(3);
    expect(await found()).toHaveLength(1);
    await pass(1);
    expect(await found()).toMatchObject([{ began_at: secondAt, ended_at: thirdAt }, {}]);
    expect(hub.published().filter(({ data }) => data['kind'] === 'not_stored')).toHaveLength(2);
    await pass(16);
    expect(await found()).toHaveLength(2);
  });
});
