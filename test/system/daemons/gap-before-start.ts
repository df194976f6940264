import type { EventSummary } from '../../../src/contract/event';
import type { Outage } from '../../../src/contract/outage';
import type { Page } from '../../../src/contract/page';
import { dealNotification } from '../../support/notification';
import { runSql } from '../../support/postgres';
import { until } from '../../support/until';
import { group } from './three-daemons';

export function gapBeforeStart(): void {
  it('have one gap event, before what the first of them receives while none leads', async () => {
    const [first, second, third] = group.daemons;
    await Promise.all(group.daemons.map((daemon) => daemon.kill()));
    await runSql(group.url, 'UPDATE heartbeat SET at = at - 60000');
    // The lease of the daemon that led has not run out yet.
    await second!.restart();
    const { body } = dealNotification({ id: 4_711, webhookId: group.webhook.webhook_id });
    const { id } = await group.sendTo(second!, body);
    await first!.restart();
    await third!.restart();

    const leader = await group.leader();
    let outages: Outage[] = [];
    await until('the outage is recorded', async () => {
      ({ data: outages } = await leader.get<Page<Outage>>('/outages'));
      return outages.length > 0;
    });
    expect(outages).toMatchObject([{ kind: 'downtime', gap_event_id: expect.any(String) }]);
    const { data: events } = await leader.get<Page<EventSummary>>(
      '/events?type=relay.gap&type=deal.*&limit=2',
    );
    expect(events.map((event) => event.id)).toEqual([id, outages[0]!.gap_event_id]);
  });
}
