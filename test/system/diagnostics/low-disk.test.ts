import { promises } from 'node:fs';
import { alertSummary } from '../../../src/contract/alert';
import { pageOf } from '../../../src/contract/page';
import { outside, outsideGlobal } from '../../support/outside';
import { Switchboard } from '../../support/daemon/switchboard';
import { until } from '../../support/until';

const GIB = 1024 ** 3;
const BLOCK = 4_096;

let board: Switchboard;
let free = 50 * GIB;

const room = async () => ({ bsize: BLOCK, blocks: (100 * GIB) / BLOCK, bavail: free / BLOCK });

const alerts = async () =>
  (await board.read(pageOf(alertSummary), '/alerts')).data.filter(({ type }) => type === 'relay.disk.low');

describe('a daemon on a disk that fills up', () => {
  /** The disk is one of 100 GiB, and what the daemon looks at every few seconds it looks at several times a second. */
  beforeAll(async () => {
    const files = outside('node:fs/promises') as typeof promises;
    jest.spyOn(files, 'statfs').mockImplementation(room as never);
    const schedule = outsideGlobal.setInterval;
    jest
      .spyOn(outsideGlobal, 'setInterval')
      .mockImplementation((work: () => void, ms = 0) => schedule(work, Math.min(ms, 300)));
    board = await Switchboard.start();
  });

  afterAll(async () => {
    await board.end();
    jest.restoreAllMocks();
  });

  it('raises an alert while it still stores what arrives, and resolves it once there is room', async () => {
    expect(await alerts()).toEqual([]);
    free = 4 * GIB;
    await until('the alert', async () => (await alerts()).length > 0);
    expect(await alerts()).toMatchObject([{ severity: 'warning', data: { free_bytes: free } }]);
    await board.emit('deal.stored');
    free = 50 * GIB;
    await until('its end', async () => (await alerts()).length === 0);
  });

  it('removes what is finished before writes fail', async () => {
    const first = await board.emit('deal.finished');
    await board.emit('deal.newest');
    free = GIB;
    await until('it is removed', async () => (await board.ask(`/events/${first}`)).status === 404);
  });
});
