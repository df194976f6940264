import { promises, type LookupAddress } from 'node:dns';
import { setTimeout as wait } from 'node:timers/promises';

/** A silent name server is retried after this time, or the next one is queried. */
const ATTEMPT_TIMEOUT_MS = 1_000;
const ATTEMPTS = 3;

/** Once one address family is resolved, the other is awaited for this long (RFC 8305, 3). */
const RESOLUTION_DELAY_MS = 50;

/** Error codes for a name without an address. */
const NOT_FOUND_CODES = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

export interface QueriedAddresses {
  addresses: LookupAddress[];
  /** The lowest TTL, in seconds. */
  ttlS: number;
}

/** No such name, or no name server could answer. With the codes of `dns.lookup`. */
export class LookupError extends Error {
  constructor(
    readonly code: 'ENOTFOUND' | 'EAI_AGAIN' | 'EMFILE' | 'ENFILE',
    readonly hostname: string,
  ) {
    super(`${code} ${hostname}`);
  }
}

/**
 * Queries name servers rather than the system resolver, whose lookups block each other. Each query creates a
 * new resolver, so it uses the current configuration of the system and shares no state with others.
 * @param servers used instead of the machine's
 */
export async function queryAddresses(
  name: string,
  timeoutMs: number,
  servers: readonly string[] | null,
): Promise<QueriedAddresses | LookupError> {
  const resolver = new promises.Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: ATTEMPTS });
  if (servers !== null) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), timeoutMs);
  const queries = [
    resolver.resolve4(name, { ttl: true }).then((records) => records.map((one) => ({ ...one, family: 4 }))),
    resolver.resolve6(name, { ttl: true }).then((records) => records.map((one) => ({ ...one, family: 6 }))),
  ];
  const settled = Promise.allSettled(queries);
  const firstResultAndDelay = Promise.any(queries).then(
    () => wait(RESOLUTION_DELAY_MS),
    () => undefined,
  );
  await Promise.race([settled, firstResultAndDelay]);
  clearTimeout(timer);
  resolver.cancel();
  const outcomes = await settled;
  const records = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (records.length > 0)
    return {
      addresses: records.map(({ address, family }) => ({ address, family })),
      ttlS: Math.min(...records.map(({ ttl }) => ttl)),
    };
  const isNotFound = outcomes.every(
    (one) => one.status === 'rejected' && NOT_FOUND_CODES.includes((one.reason as { code: string }).code),
  );
  return new LookupError(isNotFound ? 'ENOTFOUND' : 'EAI_AGAIN', name);
}
