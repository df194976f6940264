// Opens dashboards at a daemon.
import { LOAD_CORE, ask, program, startServer, stop } from './processes.mjs';

/** The daemon limits the sockets of one login. */
const PER_TOKEN = 32;

/** @returns { close() }, which throws if one of them was disconnected or received no events */
export async function openDashboards(daemon, count) {
  const tokens = [daemon.token];
  while (tokens.length * PER_TOKEN < count) {
    const name = `dashboards ${process.hrtime.bigint()}`;
    tokens.push((await daemon.api('POST', '/tokens', { name, scopes: ['read'] })).secret);
  }
  const { child } = await startServer(LOAD_CORE, [
    program('dashboards.mjs'),
    daemon.base,
    count,
    tokens.join(),
  ]);
  return {
    close: async () => {
      const sockets = await ask(child, 'read');
      await stop(child);
      const failed = sockets.find(({ events, disconnects }) => events === 0 || disconnects > 0);
      if (failed)
        throw new Error(`A dashboard was disconnected or received nothing: ${JSON.stringify(failed)}`);
    },
  };
}
