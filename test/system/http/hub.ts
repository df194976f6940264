import { Daemon } from '../../support/daemon/daemon';
import { FakeCopilot } from '../../support/fakes/copilot';
import { RawConnection } from '../../support/raw-connection';

export const JSON_TYPE = { 'content-type': 'application/json' };

let upstream: FakeCopilot;
export let daemon: Daemon;
/** The connections of the test, oldest first. */
export const opened: RawConnection[] = [];

/** Starts a connected daemon, and closes the connections to it after each test. */
export function useHub(): void {
  beforeAll(async () => {
    upstream = await FakeCopilot.start();
    daemon = await Daemon.startConnected({ upstream, environment: { LOG_LEVEL: 'debug' } });
  });

  afterEach(() => {
    for (const connection of opened.splice(0)) connection.close();
  });

  afterAll(async () => {
    await daemon.close();
    await upstream.close();
  });
}

export const bearer = () => ({ authorization: `Bearer ${daemon.token}` });

export function open(): RawConnection {
  const connection = new RawConnection(Number(new URL(daemon.url).port));
  opened.push(connection);
  return connection;
}

/** Sends a whole request; returns the response. */
export async function post(path: string, body: string, headers: Record<string, string> = bearer()) {
  const response = await fetch(`${daemon.url}/api/v1${path}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}
