import { useFeatureHarness } from '../../support/daemon/feature-harness';
import { OutagesHarness } from './outages-harness';

const CHECK_MS = 5 * 60_000;

describe('a webhook that is missing or inactive at Co-Pilot', () => {
  const hub = useFeatureHarness(new OutagesHarness());

  beforeEach(async () => {
    await hub.open();
    await hub.connect();
    await hub.receive(1);
  });

  const webhook = () => [...hub.upstream.webhooks.values()].at(-1)!;
  const now = () => new Date(hub.workspace.clock.time).toISOString();
  const passCheck = async () => {
    await hub.advance(CHECK_MS);
    await hub.subscriptionWorker.ensureRegistered();
    await hub.check();
  };
  const found = async () => (await hub.list()).filter(({ kind }) => kind === 'unregistered');

  it.each([
    ['is deleted', () => hub.upstream.webhooks.clear()],
    ['is disabled', () => (webhook().active = false)],
    ['has another URL', () => (webhook().url = 'https://elsewhere.example/hooks/x')],
  ])('is recorded from the last good check on if it %s', async (_, change) => {
    await passCheck();
    const checkedAt = now();
    change();
    await passCheck();
    expect(await found()).toMatchObject([
      { began_at: checkedAt, ended_at: now(), gap_event_id: expect.stringMatching(/^evt_/), after_seq: 1 },
    ]);
    const [gap, ...others] = hub.published();
    expect(gap).toMatchObject({
      type: 'relay.gap',
      data: { kind: 'unregistered', certainty: 'possible', ended_at: null },
    });
    expect(others.at(-1)).toMatchObject({ type: 'relay.unregistered', data: { state: 'ended' } });
    await passCheck();
    expect(await found()).toHaveLength(1);
  });

  it('is not recorded while it is paused here', async () => {
    await hub.actions.setPaused(true);
    hub.upstream.webhooks.clear();
    await passCheck();
    expect(await found()).toEqual([]);
  });

  it('is one outage until it is registered again, also after a crash', async () => {
    await passCheck();
    hub.upstream.webhooks.clear();
    hub.upstream.misbehave('POST /v1/webhooks', { status: 422, body: { message: 'Too many webhooks' } });
    await passCheck();
    const [open] = await found();
    expect(open).toMatchObject({ ended_at: null });
    await hub.kill();
    await hub.open();
    hub.listen();
    await passCheck();
    expect(await found()).toMatchObject([{ id: open!.id, ended_at: null }]);
    hub.upstream.behave();
    await passCheck();
    expect(await found()).toMatchObject([{ id: open!.id, ended_at: now() }]);
    expect(hub.published().filter(({ data }) => data['kind'] === 'unregistered')).toHaveLength(1);
  });
});
