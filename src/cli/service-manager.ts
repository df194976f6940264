import { spawn } from 'node:child_process';
import type { Log } from '../relay/ground/log';
import { StartupError } from '../relay/ground/relay-error';

/** The first file descriptor that systemd passes (sd_listen_fds(3)). */
const FIRST_FD = 3;

/**
 * The listening socket that the service manager passed to this process; null if it passed none. With it, connections
 * wait in the socket's queue while the daemon restarts.
 * @throws StartupError if there are several
 */
export function passedSocket({ LISTEN_PID, LISTEN_FDS }: NodeJS.ProcessEnv): number | null {
  if (Number(LISTEN_PID) !== process.pid || Number(LISTEN_FDS) === 0) return null;
  if (Number(LISTEN_FDS) === 1) return FIRST_FD;
  throw new StartupError({
    where: 'LISTEN_FDS',
    what: `The service manager passed ${LISTEN_FDS} sockets; one is required.`,
    remedy: 'Keep a single ListenStream in switchboard.socket, with Accept=no.',
  });
}

/**
 * Tells systemd about the state of the daemon (sd_notify(3)), by its own command, because Node cannot send datagrams
 * to a Unix socket. Does nothing under any other service manager.
 */
export class ServiceManager {
  private watchdog: NodeJS.Timeout | undefined;

  constructor(
    private readonly environment: NodeJS.ProcessEnv,
    private readonly log: Log,
  ) {}

  ready(): void {
    this.notify('READY=1');
    const { WATCHDOG_USEC, WATCHDOG_PID } = this.environment;
    const intervalMs = Number(WATCHDOG_USEC) / 2_000;
    if (!(intervalMs > 0) || (WATCHDOG_PID !== undefined && Number(WATCHDOG_PID) !== process.pid)) return;
    this.watchdog = setInterval(() => this.notify('WATCHDOG=1'), intervalMs).unref();
  }

  stopping(): void {
    clearInterval(this.watchdog);
    this.notify('STOPPING=1');
  }

  private notify(state: string): void {
    if (!this.environment['NOTIFY_SOCKET']) return;
    const child = spawn('systemd-notify', [state], { stdio: 'ignore', env: this.environment });
    child.on('error', (error) => this.log.warn({ err: error, state }, 'systemd could not be notified'));
  }
}
