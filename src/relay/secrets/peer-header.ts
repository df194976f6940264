import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from './sealer';

/** In lower case, as Node reports it. */
export const PEER_HEADER = 'switchboard-peer';

const PURPOSE = 'daemons.peer';

/**
 * The header in which a daemon tells another one the peer of a connection whose requests it forwards. Daemons of one database
 * have the same secret key, by which they believe each other.
 */
export const peerHeader = (sealer: Sealer, address: string): [name: string, value: string] => [
  PEER_HEADER,
  `${address} ${sealer.fingerprint(address, PURPOSE)}`,
];

/** @param values of the header @returns null if no daemon sent it */
export function readPeer(sealer: Sealer, values: readonly string[] = []): string | null {
  const [address = '', proof = ''] = values.length === 1 ? values[0]!.split(' ') : [];
  const expected = Buffer.from(sealer.fingerprint(address, PURPOSE));
  const given = Buffer.from(proof);
  return given.length === expected.length && timingSafeEqual(given, expected) ? address : null;
}
