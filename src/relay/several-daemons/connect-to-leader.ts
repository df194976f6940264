import { randomBytes } from 'node:crypto';
import { request as sendRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { z } from 'zod';
import type { LeaderAddress } from '../ground/daemons';
import { endpointOf } from '../network/endpoint';
import { leaderProof } from '../secrets/forwarded-peers';
import { isSameSecret } from '../secrets/is-same-secret';
import type { Sealer } from '../secrets/sealer';

/** How long the leader may take to accept a connection, and to prove that it leads. */
const PROOF_TIMEOUT_MS = 30_000;

/** How long the connection may be silent before TCP asks whether the other end is still there. */
const SILENCE_MS = 30_000;

const NONCE_BYTES = 32;
const MAX_ANSWER_LENGTH = 1_000;

const answer = z.object({ leader_proof: z.string(), challenge: z.string() });

/** A connection whose other end has proven that it leads. */
export interface LeaderConnection {
  socket: Socket;
  /** What the request on it has to prove knowledge of the key for. */
  challenge: string;
}

/**
 * Connects to the leader, and has it prove on this very connection that it is: after its end, somebody else may listen
 * at its address, who must not be sent what clients send, nor answer them.
 * @param path of the proof
 * @param onSocket called with the connection before it is proven
 * @throws Error if the other end does not prove it
 */
export async function connectToLeader(
  leader: LeaderAddress,
  path: string,
  sealer: Sealer,
  onSocket: (socket: Socket) => void,
): Promise<LeaderConnection> {
  const { host, port } = endpointOf(leader.address);
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: SILENCE_MS });
  socket.on('error', () => socket.destroy());
  socket.setTimeout(PROOF_TIMEOUT_MS, () => socket.destroy(new Error('The leader does not respond.')));
  onSocket(socket);
  try {
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    const asked = sendRequest({
      createConnection: () => socket,
      path: `${path}?nonce=${nonce}`,
      headers: { host: new URL(leader.address).host, connection: 'keep-alive' },
    });
    asked.on('error', () => undefined).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const isUsable = new Promise((resolve) => socket.once('free', resolve).once('close', resolve));
    const { leader_proof: proof, challenge } = answer.parse(JSON.parse(await textOf(response)));
    if (!isSameSecret(proof, leaderProof(sealer, nonce, leader))) throw new Error('The proof is wrong.');
    await isUsable;
    if (socket.destroyed) throw new Error('The leader closed the connection.');
    // A response may take any time; a leader that is lost loses its lease, which ends the connection.
    socket.setTimeout(0);
    return { socket, challenge };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) {
    text += String(part);
    if (text.length > MAX_ANSWER_LENGTH) throw new Error('The answer is too long.');
  }
  return text;
}
