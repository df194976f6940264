import { Daemon } from '../../support/daemon/daemon';
import { storeEvents } from '../../support/daemon/store-events';
import { until } from '../../support/until';
import { FakeCopilot } from '../../support/fakes/copilot';

const STORED = 20_000;
const CONCURRENT = 40;

describe('requests whose client disconnects', () => {
  let upstream: FakeCopilot;
  let daemon: Daemon;

  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemon = await Daemon.startConnected({ upstream, environment: { LOG_LEVEL: 'debug' } });
    await storeEvents(daemon, STORED);
  });

  afterAll(async () => {
    await daemon?.close();
    await upstream?.close();
  });

  const abandonedReads = () => [...daemon.output.matchAll(/"code":"request_abandoned"/g)].length;

  it.each(['/events?type=no.*', '/deliveries?since=2100-01-01T00:00:00Z'])(
    'are not executed further: %s',
    async (path) => {
      const before = abandonedReads();
      // All may have been answered before the first response is seen here.
      await until('some are abandoned', async () => {
        const client = new AbortController();
        const requests = Array.from({ length: CONCURRENT }, () =>
          fetch(`${daemon.url}/api/v1${path}`, {
            headers: { authorization: `Bearer ${daemon.token}` },
            signal: client.signal,
          }),
        );
        await Promise.any(requests);
        client.abort();
        await Promise.allSettled(requests);
        return abandonedReads() > before;
      });
      expect((await daemon.request('GET', path)).status).toBe(200);
    },
  );
});
