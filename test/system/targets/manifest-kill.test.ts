import { setTimeout as pause } from 'node:timers/promises';
import type { ManifestResult } from '../../../src/contract/manifest';
import type { Target } from '../../../src/contract/target';
import { FakeCopilot } from '../../support/fakes/copilot';
import { Daemon } from '../../support/daemon/daemon';

const COUNT = 150;

it('a manifest is applied wholly or not at all, also if the daemon is killed meanwhile', async () => {
  const upstream = await FakeCopilot.start();
  const daemon = await Daemon.start({ upstream });
  const targets = Array.from({ length: COUNT }, (_, i) => ({ name: `${i}`, url: `http://127.0.0.1:9/${i}` }));
  const count = async () => {
    const { data } = await daemon.get<{ data: Target[] }>('/targets?limit=200');
    return data.length;
  };
  for (const [round, delayMs] of [20, 40, 60].entries()) {
    const before = await count();
    const wanted = round % 2 === 0 ? { targets } : { prune: true };
    const applying = daemon.request('POST', '/manifests/prod/apply', wanted).catch(() => null);
    await pause(delayMs);
    await daemon.kill();
    const answered = (await applying)?.body as ManifestResult | undefined;
    await daemon.restart();
    const after = await count();
    expect([0, COUNT]).toContain(after);
    if ((answered?.changes.length ?? 0) > 0) expect(after).not.toBe(before);
  }
  await daemon.close();
  await upstream.close();
});
