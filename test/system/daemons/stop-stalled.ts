import { runSql } from '../../support/postgres';
import { group, nextDeal } from './three-daemons';

const notifyEach = () => Promise.all(group.daemons.map((daemon) => group.sendTo(daemon, nextDeal().body)));
const stored = () => runSql(group.url, 'SELECT 1 FROM events WHERE webhook_id IS NOT NULL');

export function stoppedWhileStalled(): void {
  it('exit with 0, say what they give up, and lose nothing that was acknowledged', async () => {
    const before = (await stored()).length;
    const acknowledged = await notifyEach();
    expect(acknowledged.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const daemon of group.daemons) group.linkOf(daemon).stall();
    const inFlight = notifyEach();
    // After 14 s they would kill themselves, and have no exit code.
    expect(await Promise.all(group.daemons.map((daemon) => daemon.stop()))).toEqual([0, 0, 0]);
    for (const { output } of group.daemons) expect(output).toContain('PostgreSQL does not respond');
    expect((await inFlight).map(({ status }) => status)).not.toContain(200);
    expect(await stored()).toHaveLength(before + acknowledged.length);
  });
}
