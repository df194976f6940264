import type { LookupAddress } from 'node:dns';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { inHostsFile } from './hosts-file';
import { LookupError, queryAddresses } from './query-addresses';
import { candidateNames, readSearchList } from './search-list';
import { SystemLookup } from './system-lookup';

/** The time for all queries to name servers, and again the time for the system resolver. */
const TIMEOUT_MS = 5_000;

/** How long a result is cached: for its TTL, limited to the first two, or for a fixed time. */
const MIN_TTL_MS = 1_000;
const MAX_TTL_MS = 30_000;
const SYSTEM_TTL_MS = 10_000;
const HOSTS_FILE_TTL_MS = 5_000;
const NOT_FOUND_TTL_MS = 5_000;
const FAILURE_TTL_MS = 1_000;

const LOOPBACK: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The result of a lookup, and how long it may be cached. */
export interface LookupOutcome {
  result: LookupAddress[] | LookupError;
  ttlMs: number;
}

/** Resolves a name: by the hosts file, then the name servers, then the system resolver. */
export class AddressResolver {
  private readonly system = new SystemLookup();

  /** @param servers used instead of the machine's name servers and the system resolver */
  constructor(private readonly servers: readonly string[] | null) {}

  /** @param name in lower case */
  async resolve(name: string): Promise<LookupOutcome> {
    const fullName = name.replace(/\.$/, '');
    const listed = await inHostsFile(fullName);
    if (listed.length > 0) return { result: listed, ttlMs: HOSTS_FILE_TTL_MS };
    // RFC 6761: these are never sent to name servers.
    if (/(^|\.)localhost$/.test(fullName)) return { result: LOOPBACK, ttlMs: HOSTS_FILE_TTL_MS };
    if (/(^|\.)invalid$/.test(fullName)) return failedLookup('ENOTFOUND', name);

    const outcome = await this.query(name);
    const { result } = outcome;
    if (this.servers !== null || !(result instanceof LookupError)) return outcome;
    const isLocal = !fullName.includes('.') || fullName.endsWith('.local');
    if (result.code !== 'ENOTFOUND' && !isLocal) return outcome;
    const addresses = await this.system.find(fullName, TIMEOUT_MS);
    return addresses.length === 0 ? outcome : { result: addresses, ttlMs: SYSTEM_TTL_MS };
  }

  private async query(name: string): Promise<LookupOutcome> {
    const searchList = this.servers === null ? await readSearchList() : { domains: [], ndots: 1 };
    const deadline = performance.now() + TIMEOUT_MS;
    let code: LookupError['code'] = 'ENOTFOUND';
    for (const one of candidateNames(name, searchList)) {
      const result = await queryAddresses(one, Math.max(1, deadline - performance.now()), this.servers);
      if (!(result instanceof LookupError))
        return {
          result: result.addresses,
          ttlMs: Math.min(Math.max(result.ttlS * 1_000, MIN_TTL_MS), MAX_TTL_MS),
        };
      if (result.code === 'EAI_AGAIN') code = 'EAI_AGAIN';
    }
    return failedLookup(code === 'EAI_AGAIN' ? ((await findShortage()) ?? code) : code, name);
  }
}

/** A resolver does not say that it could not open a socket. */
async function findShortage(): Promise<'EMFILE' | 'ENFILE' | null> {
  try {
    await (await open(devNull)).close();
    return null;
  } catch (error) {
    const { code } = error as { code?: string };
    return code === 'EMFILE' || code === 'ENFILE' ? code : null;
  }
}

const failedLookup = (code: LookupError['code'], name: string): LookupOutcome => ({
  result: new LookupError(code, name),
  ttlMs: code === 'ENOTFOUND' ? NOT_FOUND_TTL_MS : FAILURE_TTL_MS,
});
