import { request, type IncomingMessage } from 'node:http';
import { exportedEvent } from '../../../src/contract/event';
import { Switchboard } from '../../support/daemon/switchboard';

const LATE_MS = 60_000;
/** Larger than all buffers between daemon and client. */
const LARGE = 'x'.repeat(200_000);
const MANY_LARGE = 120;

let switchboard: Switchboard;

beforeAll(async () => {
  switchboard = await Switchboard.start();
});

afterAll(() => switchboard.end());

const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => exportedEvent.parse(JSON.parse(line)));

/** An export whose response the test reads. */
function openExport(query: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `/api/v1/events/export?${query}`;
    request({
      host: '127.0.0.1',
      port: switchboard.port,
      path,
      headers: Object.fromEntries(switchboard.bearer),
      agent: false,
    })
      .on('response', resolve)
      .on('error', reject)
      .end();
  });
}

/** Counts the large lines that the daemon serializes from now on. */
function countLines(): { besideAnother: () => Promise<number> } {
  const stringify = jest.spyOn(JSON, 'stringify');
  /** Their number, without those of another export that is started here and read to its end. */
  const besideAnother = async () => {
    const { length } = linesOf((await switchboard.ask('/events/export?type=large.event')).text);
    const lines = stringify.mock.calls.filter(([one]) => (one as { type?: string })?.type === 'large.event');
    stringify.mockRestore();
    return lines.length - length;
  };
  return { besideAnother };
}

describe('an export that is read slowly', () => {
  beforeAll(async () => {
    for (let i = 0; i < MANY_LARGE; i += 10)
      await Promise.all(Array.from({ length: 10 }, () => switchboard.emit('large.event', { text: LARGE })));
  });

  it('uses little memory, continues when it is read, and ends with the newest event at its start', async () => {
    const lines = countLines();
    const response = await openExport('type=large.event');
    response.pause();
    await switchboard.emit('large.event', { text: LARGE });
    // It reads ahead as far as its buffers allow, and then pauses; another export that is read overtakes it.
    const ahead = await lines.besideAnother();
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThan(MANY_LARGE / 2);
    let text = '';
    for await (const part of response) text += String(part);
    expect(linesOf(text)).toHaveLength(MANY_LARGE);
  });

  it('stops when the client disconnects', async () => {
    const lines = countLines();
    const response = await openExport('type=large.event');
    response.once('data', () => response.destroy());
    await new Promise((resolve) => response.once('close', resolve));
    const before = await lines.besideAnother();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(MANY_LARGE / 2);
    expect((await switchboard.ask('/events?limit=1')).status).toBe(200);
  });

  it('does not delay a stop of the daemon', async () => {
    const response = await openExport('type=large.event');
    response.pause();
    const broken = new Promise((resolve) => response.once('error', resolve));
    const { setTimeout } = globalThis;
    const timers = jest.spyOn(globalThis, 'setTimeout');
    // Nothing but the export's own end may end the stop, such as its time limit.
    timers.mockImplementation((work: () => void, ms = 0) => setTimeout(work, ms < 1_000 ? ms : LATE_MS));
    await switchboard.stop();
    timers.mockRestore();
    response.resume();
    expect(await broken).toMatchObject({ message: 'aborted' });
    await switchboard.restart();
  });
});
