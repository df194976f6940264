import { promises, type LookupAddress } from 'node:dns';
import { open } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { devNull } from 'node:os';
import { callbackify } from 'node:util';
import type { Clock } from '../ground/clock';
import { withTimeout } from '../ground/with-timeout';

/** How long a caller waits. The lookup itself cannot be cancelled. */
const TIMEOUT_MS = 5_000;

/** How long a result is cached. */
const FOUND_TTL_MS = 10_000;
const NOT_FOUND_TTL_MS = 5_000;
const FAILURE_TTL_MS = 1_000;
const MAX_CACHED_NAMES = 1_000;

/** No such name, or no name server could answer. With the codes of `dns.lookup`. */
class LookupError extends Error {
  constructor(
    readonly code: 'ENOTFOUND' | 'EAI_AGAIN' | 'EMFILE' | 'ENFILE',
    readonly hostname: string,
  ) {
    super(`${code} ${hostname}`);
  }
}

type Result = LookupAddress[] | LookupError;

/**
 * Resolves host names for all outgoing connections. A name whose lookup hangs delays only requests for that name: it
 * occupies one thread of libuv, of which `main.ts` makes enough.
 */
export class HostAddresses {
  /** By name, oldest first; `until` is monotonic time. */
  private readonly cache = new Map<string, { result: Result; until: number }>();
  private readonly running = new Map<string, Promise<Result>>();

  /** @param find asks the system for at least one address of a name in lower case */
  constructor(
    private readonly clock: Clock,
    private readonly find = (name: string) => promises.lookup(name, { all: true, order: 'ipv4first' }),
  ) {}

  /** The addresses of a host name, at least one. @throws LookupError */
  async resolve(host: string): Promise<LookupAddress[]> {
    const name = host.toLowerCase();
    const cached = this.cache.get(name);
    const result =
      cached !== undefined && this.clock.monotonic() < cached.until
        ? cached.result
        : await withTimeout(this.lookUp(name), TIMEOUT_MS, new LookupError('EAI_AGAIN', name));
    if (result instanceof LookupError) throw result;
    return result;
  }

  /** For `net.connect`. */
  readonly lookup = toLookupFunction((host) => this.resolve(host));

  /** Concurrent callers share one lookup, even one that has hung for longer than a caller waits. */
  private lookUp(name: string): Promise<Result> {
    const running = this.running.get(name);
    if (running !== undefined) return running;
    const lookup = this.findOrFail(name).then((result) => {
      this.running.delete(name);
      this.store(name, result);
      return result;
    });
    this.running.set(name, lookup);
    return lookup;
  }

  private async findOrFail(name: string): Promise<Result> {
    // RFC 6761: no name server is asked for these. Not every system knows that.
    if (/\.invalid\.?$/.test(name)) return new LookupError('ENOTFOUND', name);
    try {
      return await this.find(/(^|\.)localhost\.?$/.test(name) ? 'localhost' : name);
    } catch (error) {
      const code = (error as { code?: string }).code === 'ENOTFOUND' ? 'ENOTFOUND' : 'EAI_AGAIN';
      return new LookupError((await findShortage()) ?? code, name);
    }
  }

  private store(name: string, result: Result): void {
    let ttlMs = FOUND_TTL_MS;
    if (result instanceof LookupError)
      ttlMs = result.code === 'ENOTFOUND' ? NOT_FOUND_TTL_MS : FAILURE_TTL_MS;
    this.cache.delete(name);
    this.cache.set(name, { result, until: this.clock.monotonic() + ttlMs });
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_CACHED_NAMES) this.cache.delete(oldest!);
  }
}

/** The system does not say that it could not open a file or a socket. */
async function findShortage(): Promise<'EMFILE' | 'ENFILE' | null> {
  try {
    await (await open(devNull)).close();
    return null;
  } catch (error) {
    const { code } = error as { code?: string };
    return code === 'EMFILE' || code === 'ENFILE' ? code : null;
  }
}

/** For `net.connect`. @param resolve resolves to at least one address, or rejects with an error that has a `code` */
export function toLookupFunction(resolve: (host: string) => Promise<LookupAddress[]>): LookupFunction {
  const resolveWithCallback = callbackify(resolve);
  return (host, options, callback) =>
    resolveWithCallback(host, (error, found) => {
      if (error !== null) callback(error, []);
      else if (options.all === true) callback(null, found);
      else callback(null, found[0]!.address, found[0]!.family);
    });
}
