import { promises } from 'node:fs';
import { alertSummary } from '../../../src/contract/alert';
import { pageOf } from '../../../src/contract/page';
import { useFastIntervals } from '../../support/fast-intervals';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const GIB = 1024 ** 3;
const BLOCK = 4_096;

let switchboard: Switchboard;
let free = 50 * GIB;

const room = async () => ({ bsize: BLOCK, blocks: (100 * GIB) / BLOCK, bavail: free / BLOCK });

const alerts = async () =>
  (await switchboard.read(pageOf(alertSummary), '/alerts')).data.filter(
    ({ type }) => type === 'relay.disk.low',
  );

describe('a daemon on a disk that fills up', () => {
  useFastIntervals(300);
  /** Simulates a disk of 100 GiB. */
  beforeAll(async () => {
    jest.spyOn(promises, 'statfs').mockImplementation(room as never);
    switchboard = await Switchboard.start();
  });

  afterAll(() => switchboard.end());

  it('raises an alert while it still stores notifications, and resolves it once there is space', async () => {
    expect(await alerts()).toEqual([]);
    free = 4 * GIB;
    await until('the alert is raised', async () => (await alerts()).length > 0);
    expect(await alerts()).toMatchObject([{ severity: 'warning', data: { free_bytes: free } }]);
    await switchboard.emit('deal.stored');
    free = 50 * GIB;
    await until('the alert is resolved', async () => (await alerts()).length === 0);
  });

  it('removes finished events before writes fail', async () => {
    const first = await switchboard.emit('deal.finished');
    await switchboard.emit('deal.newest');
    switchboard.clock.move(25 * 3_600_000);
    free = GIB;
    await until('it is removed', async () => (await switchboard.ask(`/events/${first}`)).status === 404);
  });
});
