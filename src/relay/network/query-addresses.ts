import { promises, type LookupAddress } from 'node:dns';
import { setTimeout as wait } from 'node:timers/promises';

/** A name server that is silent is asked once more after so long, or the next one is. */
const TRY_MS = 1_000;
const TRIES = 3;

/** With the addresses of one family known, those of the other are waited for no longer than that (RFC 8305, 3). */
const OTHER_FAMILY_MS = 50;

/** What name servers answer of a name that has no address. */
const NO_SUCH_NAME = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

export interface QueriedAddresses {
  addresses: LookupAddress[];
  /** For how long they hold, in seconds. */
  ttlS: number;
}

/** No such name; or nobody who could tell. With the codes of `dns.lookup`. */
export class LookupError extends Error {
  constructor(
    readonly code: 'ENOTFOUND' | 'EAI_AGAIN',
    readonly hostname: string,
  ) {
    super(`${code} ${hostname}`);
  }
}

/**
 * Asks name servers, and not the system, whose look-ups wait for each other. A resolver of its own for each name goes by how
 * the machine is set up by then, and shares nothing with the next one.
 * @param servers asked in place of the machine's
 */
export async function queryAddresses(
  name: string,
  withinMs: number,
  servers: readonly string[] | null,
): Promise<QueriedAddresses | LookupError> {
  const resolver = new promises.Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers !== null) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), withinMs);
  const asked = [
    resolver.resolve4(name, { ttl: true }).then((records) => records.map((one) => ({ ...one, family: 4 }))),
    resolver.resolve6(name, { ttl: true }).then((records) => records.map((one) => ({ ...one, family: 6 }))),
  ];
  const ended = Promise.allSettled(asked);
  const oneAndAMoment = Promise.any(asked).then(
    () => wait(OTHER_FAMILY_MS),
    () => undefined,
  );
  await Promise.race([ended, oneAndAMoment]);
  clearTimeout(timer);
  resolver.cancel();
  const outcomes = await ended;
  const records = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (records.length > 0)
    return {
      addresses: records.map(({ address, family }) => ({ address, family })),
      ttlS: Math.min(...records.map(({ ttl }) => ttl)),
    };
  const isKnown = outcomes.every(
    (one) => one.status === 'rejected' && NO_SUCH_NAME.includes((one.reason as { code: string }).code),
  );
  return new LookupError(isKnown ? 'ENOTFOUND' : 'EAI_AGAIN', name);
}
