import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { killWithParent } from '../daemon/kill-with-parent';

/** Linux accepts connections from every address in 127.0.0.0/8, so the daemon can distinguish the proxy from others. */
const PROXY_ADDRESS = '127.0.0.2';

/** What the proxy sends to prove that a request is from it. */
export const PROXY_SECRET = { 'x-proxy-secret': 'known-to-proxy-and-daemon' };

/** The settings of a daemon that trusts this proxy, and only this one. */
export const PROXY_SETTINGS = {
  SWITCHBOARD_TRUSTED_PROXIES: `${PROXY_ADDRESS}/32`,
  SWITCHBOARD_AUTH_USER_HEADER: 'Remote-User',
  SWITCHBOARD_AUTH_ROLE_HEADER: 'Remote-Role',
  SWITCHBOARD_AUTH_SECRET_HEADER: `X-Proxy-Secret: ${PROXY_SECRET['x-proxy-secret']}`,
};

/** The process of `reverse-proxy-process.mjs`. */
export class ReverseProxy {
  private constructor(
    private readonly child: ChildProcess,
    private readonly guard: ChildProcess,
    readonly port: number,
  ) {}

  /** @param users the role of each user; empty: the proxy sends none */
  static async start(origin: string, users: Readonly<Record<string, string>>): Promise<ReverseProxy> {
    const options = JSON.stringify({ origin, from: PROXY_ADDRESS, users, secret: PROXY_SECRET });
    const child = spawn(process.execPath, [resolve(__dirname, 'reverse-proxy-process.mjs'), options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const guard = killWithParent(child.pid!);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.stdout.destroy();
    return new ReverseProxy(child, guard, Number(line.toString()));
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  /** The cookie that its users have. */
  cookieOf(user: string): string {
    return `proxy_user=${user}`;
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    this.guard.kill('SIGKILL');
    await ended;
  }
}
