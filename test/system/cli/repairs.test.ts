import type { ListedOutage } from '../../../src/contract/outage';
import type { Repair } from '../../../src/contract/repair';
import { HubCommands } from '../../support/daemon/hub-commands';
import { startInProcess } from '../../support/daemon/run-in-process';
import type { Switchboard } from '../../support/daemon/switchboard';
import type { SandboxCopilot } from '../../support/fakes/sandbox-copilot';
import { until } from '../../support/until';
import { RepairHub } from '../repairs/repair-hub';

let relay: Switchboard<SandboxCopilot>;
let hub: RepairHub;
let commands: HubCommands;

beforeAll(async () => {
  hub = await RepairHub.start();
  relay = hub.relay;
  commands = new HubCommands(relay);
  await hub.learnAll();
});

afterAll(() => relay.end());

/** Runs a repair, for which time passes while it waits. */
async function repair(...flags: string[]) {
  const args = ['repair', '--requests-per-minute', '6000', ...flags];
  const running = startInProcess(args, await commands.environment());
  let isEnded = false;
  void running.ended.finally(() => (isEnded = true));
  await until('the command has ended', async () => {
    const { json } = await relay.ask('/repairs?limit=1');
    if ((json as { data: Repair[] }).data[0]?.state === 'settling') relay.clock.move(40_000);
    return isEnded;
  });
  return running.ended;
}

it('with --dry-run only says whether something differs, by 3, and what', async () => {
  expect((await repair('--dry-run')).code).toBe(0);
  const [deal] = await hub.deals();
  await hub.changeSilently(deal!.id, { name: 'Changed in silence' });
  const { code, out } = await repair('--dry-run');
  expect(code).toBe(3);
  expect(out).toMatch(/^changed +1$/m);
  expect(out).toMatch(
    new RegExp(`^deal:${deal!.id} .* changed +data\\.name: .* → "Changed in silence"`, 'm'),
  );
  const refused = await repair();
  expect({ code: refused.code, err: refused.err }).toEqual({
    code: 2,
    err: expect.stringContaining('Not repaired: confirmation needs a terminal.'),
  });

  const listed = await commands.run(['repair', 'list', '--limit', '2'], 'read');
  expect(listed.out).toMatch(/^\S+Z +rpr_\w+ +repair +previewed +1 *$/m);
  const last = JSON.parse((await commands.run(['repair', 'get', 'last', '--json'], 'read')).out) as Repair;
  expect(last.counts.changed).toBe(1);
  const sent = await repair('--yes');
  expect({ code: sent.code, out: sent.out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^state +done$/m),
  });
  expect((await commands.run(['repair', 'get', 'none'], 'read')).code).toBe(1);
});

it('outages are listed with their gap events and the repairs that were applied to them, and dismissed', async () => {
  await relay.stop();
  relay.clock.move(60_000);
  await relay.restart();
  const listed = async () => {
    const { out } = await commands.run(['outages', 'list', '--limit', '1', '--json'], 'read');
    return JSON.parse(out) as ListedOutage;
  };
  const outage = await listed();
  expect(outage).toMatchObject({ kind: 'downtime', repairs: [] });
  const [deal] = await hub.deals();
  await hub.changeSilently(deal!.id, { name: 'Changed in an outage' });
  expect((await repair('--outage', outage.id, '--yes')).code).toBe(0);
  const { repairs } = await listed();
  expect(repairs).toMatchObject([{ state: 'done', ended_at: expect.any(String), events: 1 }]);

  const { out } = await commands.run(['outages', 'list'], 'read');
  const { after_seq: seq, gap_event_id: gap } = outage;
  expect(out).toMatch(
    new RegExp(`^\\S+Z +${outage.id} +downtime .* ${seq} +${gap} +${repairs[0]!.id} done, 1 event$`, 'm'),
  );
  expect((await commands.run(['outages', 'dismiss', outage.id])).code).toBe(0);
  expect((await listed()).dismissed_at).not.toBeNull();
});
