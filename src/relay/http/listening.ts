import { rmSync } from 'node:fs';
import { hostInUrl } from '../network/endpoint';
import { addressFile, writeAddress } from '../settings/address-file';
import type { Log } from '../ground/log';
import { StartupError } from '../ground/relay-error';
import { isLoopbackName, isUnencrypted } from '../settings/loopback';
import type { Settings } from '../settings/settings';

const PLAIN_HTTP =
  'plain http: tokens, secrets and events are sent unencrypted, and whoever is on this network can read and forge them';

/**
 * Connections that wait to be accepted, one in a turn of the event loop: as many as take about half a second. Beyond
 * this the kernel drops the first packet of a connection, which the client repeats after a second. In a longer queue,
 * those that were given up by a flood's clients would be served before a notification, for longer than Co-Pilot waits.
 */
const LISTEN_BACKLOG = 512;

const SAVE_AGAIN_MS = 1_000;

/** How this machine reaches itself if it listens on all addresses. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** @throws StartupError if the address cannot be used */
export async function listen<Result>(
  start: () => Promise<Result>,
  { host, port }: Pick<Settings, 'host' | 'port'>,
): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== 'listen' && syscall !== 'getaddrinfo') throw error;
    const isPort = code === 'EADDRINUSE' || code === 'EACCES';
    throw new StartupError({
      where: 'HOST, PORT',
      what: `Cannot listen on ${host}:${port} (${code}).`,
      remedy: isPort
        ? 'Set another PORT; 0, or --port 0, picks a free one.'
        : 'Set HOST to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them.',
    });
  }
}

export function warnOfPlainHttp({ copilot, publicUrl }: Settings, log: Log): void {
  for (const [setting, url] of Object.entries({ COPILOT_BASE_URL: copilot.baseUrl, PUBLIC_URL: publicUrl })) {
    if (url !== null && isUnencrypted(url)) log.warn({ setting, url }, PLAIN_HTTP);
  }
}

/** Fastify listens on a second address for the name `localhost`, which a passed socket must not lead to. */
export const listenOptions = ({ host, port }: Settings, fd: number | null) =>
  fd === null ? { host, port, backlog: LISTEN_BACKLOG } : { host: '127.0.0.1', fd, backlog: LISTEN_BACKLOG };

/** `HOST` decides which targets are allowed by default, so it must say truly who can reach the daemon. */
export function checkPassedSocket(address: string, { host }: Settings): void {
  if (isLoopbackName(address) === isLoopbackName(host)) return;
  throw new StartupError({
    where: 'HOST',
    what: `HOST is ${host}, but the socket that the service manager passed listens on ${address}.`,
    remedy: `Set HOST=${address}, or change ListenStream in switchboard.socket.`,
  });
}

/** Only commands need it: on a full disk it is saved later. @returns a function that removes what was saved */
export function saveAddress(
  dataDir: string,
  address: string,
  port: number,
  secret: string,
  log: Log,
): () => void {
  const host = hostInUrl(LOOPBACK_OF[address] ?? address);
  let timer: NodeJS.Timeout | undefined;
  const save = () => {
    try {
      writeAddress(dataDir, { url: `http://${host}:${port}`, secret });
    } catch (error) {
      if (timer === undefined)
        log.error({ err: error }, 'commands cannot find the daemon until its address can be saved');
      timer = setTimeout(save, SAVE_AGAIN_MS).unref();
    }
  };
  save();
  return () => {
    clearTimeout(timer);
    rmSync(addressFile(dataDir), { force: true });
  };
}
