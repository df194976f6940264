import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { withTimeout } from '../ground/with-timeout';

/** An incomplete request or a slow disk could delay the shutdown much longer. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Closes the application. Its port is free afterwards, even if it does not close in time. */
export async function closeApplication(
  app: Pick<INestApplication<Server>, 'close' | 'getHttpServer'>,
  timeoutMs = CLOSE_TIMEOUT_MS,
): Promise<void> {
  await withTimeout(app.close(), timeoutMs, undefined);
  const server = app.getHttpServer();
  server.close();
  server.closeAllConnections();
}
