import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Daemons, LeaderAddress } from '../ground/daemons';
import type { Log } from '../ground/log';
import { RateLimitedLog } from '../ground/rate-limited-log';
import { isSameSecret } from './is-same-secret';
import type { Sealer } from './sealer';

/** In lower case, as Node reports it. */
export const PEER_HEADER = 'switchboard-peer';

/** Long enough that none is ever given twice. */
const CHALLENGE_BYTES = 32;

/** What the peer of a connection is if the header that names it is not believed: no trusted address. */
const UNKNOWN = 'unknown';

/** What the leader answers on a connection to a daemon that asks for proof. */
export interface LeaderAnswer {
  /** Of whoever leads in this epoch at this address, for the nonce of the question. */
  leader_proof: string;
  /** What the next request on the connection must prove knowledge of the key for. */
  challenge: string;
}

/** Daemons of one database have the same key, with which they authenticate to each other. */
export const leaderProof = (sealer: Sealer, nonce: string, { epoch, address }: LeaderAddress): string =>
  sealer.fingerprint(`${nonce} ${epoch} ${address}`, 'daemons.leader');

/**
 * The header in which a daemon names the peer of the connection whose request it forwards to the leader: for this
 * request alone.
 */
export const peerHeader = (
  sealer: Sealer,
  challenge: string,
  peer: string,
  { method, url }: Pick<IncomingMessage, 'method' | 'url'>,
): [name: string, value: string] => [
  PEER_HEADER,
  `${peer} ${sealer.fingerprint(`${challenge} ${method} ${url} ${peer}`, 'daemons.peer')}`,
];

/** The peers of connections whose requests other daemons forward to this one, as these daemons have proven. */
export class ForwardedPeers {
  private readonly challenges = new WeakMap<Socket, string>();
  private readonly peers = new WeakMap<Socket, string>();
  private readonly limitedLog: RateLimitedLog;

  constructor(
    private readonly sealer: Sealer,
    private readonly daemons: Daemons,
    log: Log,
  ) {
    this.limitedLog = new RateLimitedLog(log);
  }

  /** Reads the header of each request before anything else does. */
  attach(server: Server): void {
    for (const event of ['request', 'upgrade'])
      server.prependListener(event, (request: IncomingMessage) => this.read(request));
  }

  /** Null if this daemon does not lead among others. */
  answer(nonce: string, socket: Socket): LeaderAnswer | null {
    const { ownAddress } = this.daemons;
    if (ownAddress === null) return null;
    const challenge = randomBytes(CHALLENGE_BYTES).toString('hex');
    this.challenges.set(socket, challenge);
    return { leader_proof: leaderProof(this.sealer, nonce, ownAddress), challenge };
  }

  /** Whose request is served on a connection; null: that of its other end. */
  of(socket: Socket): string | null {
    return this.peers.get(socket) ?? null;
  }

  private read(request: IncomingMessage): void {
    const { socket } = request;
    const value = request.headers[PEER_HEADER];
    const challenge = this.challenges.get(socket);
    this.challenges.delete(socket);
    if (value === undefined) this.peers.delete(socket);
    else this.peers.set(socket, this.verified(request, String(value), challenge) ?? UNKNOWN);
  }

  private verified(request: IncomingMessage, value: string, challenge: string | undefined): string | null {
    if (challenge === undefined) return null;
    const [peer = ''] = value.split(' ', 1);
    const [, expected] = peerHeader(this.sealer, challenge, peer, request);
    if (!isSameSecret(value, expected)) return null;
    const { remoteAddress = '' } = request.socket;
    if (this.daemons.endpoints.some(({ host }) => isSameAddress(host, remoteAddress))) return peer;
    this.limitedLog.warn(
      { remote: remoteAddress },
      'a daemon forwards requests from an address that none has; they get no user',
    );
    return null;
  }
}

const isSameAddress = (one: string, other: string) =>
  ipaddr.isValid(one) &&
  ipaddr.isValid(other) &&
  ipaddr.process(one).toString() === ipaddr.process(other).toString();
