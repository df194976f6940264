import { Switchboard } from '../../support/daemon/switchboard';
import { RecordingTarget } from '../../support/fakes/recording-target';
import { ledger } from '../../../src/contract/ledger';
import { alterStored, queryStored } from '../../support/daemon/stored-data';
import { until } from '../../support/until';

export let switchboard: Switchboard;
export let accepting: RecordingTarget;
let failing: RecordingTarget;
export let acceptingId: string;
/** Numbers of the targets: one accepts everything, one fails and has lanes. */
export let acceptingNumber: number;
export let failingNumber: number;
/** The `seq`s of the events of two deals, alternately; system events may come between. */
export let seqs: number[];

export const check = () => switchboard.read(ledger, '/ledger', { method: 'POST' });

/** Damages the data as a defect of the daemon would. */
export const alter = (sql: string) => alterStored(switchboard.dataDir, sql);

async function number(name: string): Promise<number> {
  const sql = 'SELECT number FROM targets WHERE name = ?';
  return (await queryStored<{ number: number }>(switchboard.dataDir, sql, name))[0]!.number;
}

/** Starts a daemon with deliveries of each kind at two targets. */
export function useCheckedHub(): void {
  beforeAll(async () => {
    switchboard = await Switchboard.start();
    accepting = await RecordingTarget.start();
    failing = await RecordingTarget.start(404);
    ({ id: acceptingId } = await switchboard.addTarget('takes', accepting.url, ['deal.*']));
    const { id } = await switchboard.addTarget('fails', failing.url, ['deal.*'], {
      policy: { ordering: 'entity', duplicates: 'deliver' },
    });
    const events: string[] = [];
    for (let i = 0; i < 8; i += 1) events.push(await switchboard.emit('deal.updated', { id: (i % 2) + 1 }));
    await until('all have arrived', () => accepting.hits.length === 8);
    await switchboard.deliveryOnce(events[0]!, id, ({ attempt_count }) => attempt_count === 1);
    // The failing target is left with a due retry, and with deliveries queued behind it.
    await switchboard.ask(`/targets/${id}/pause`, { method: 'POST' });
    seqs = (await Promise.all(events.map((event) => switchboard.event(event)))).map(({ seq }) => seq);
    acceptingNumber = await number('takes');
    failingNumber = await number('fails');
  });

  afterAll(async () => {
    await switchboard.end();
    await Promise.all([accepting.close(), failing.close()]);
  });
}
