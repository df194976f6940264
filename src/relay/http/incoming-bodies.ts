import type { IncomingMessage } from 'node:http';
import type { Settings } from '../settings/settings';

/** Memory for all bodies being received, and the part of it that API bodies may use. */
const TOTAL_BYTES = 64 * 1024 * 1024;
const API_BYTES = 16 * 1024 * 1024;
/** Minimum cost of a request and of each chunk: small ones use more memory than their size. */
const MIN_REQUEST_COST = 16 * 1024;
const MIN_CHUNK_COST = 512;

/**
 * Why a body was not received. `aborted`: the client disconnected, so nobody waits for a response; `overload`: the
 * budget was exceeded, and this was the oldest body.
 */
export type BodyFailure = 'too_large' | 'aborted' | 'overload';

/** `hooks` are Co-Pilot's notifications, `api` is everything else. */
type Origin = 'hooks' | 'api';

interface IncomingBody {
  size: number;
  chunks: Buffer[];
  /** Its share of the budget, in bytes. */
  cost: number;
  fail: (failure: BodyFailure) => void;
}

/** The bodies of one origin that are being received, oldest first. */
class BodyShare {
  readonly incoming = new Set<IncomingBody>();
  cost = 0;

  /** The oldest is the slowest, and not from Co-Pilot, which times out after 5 s. */
  failOldest(): void {
    const [oldest] = this.incoming;
    oldest?.fail('overload');
  }
}

/**
 * Reads request bodies within a shared memory budget. API bodies may use only a small part of it and are dropped
 * first, so that they cannot displace notifications.
 */
export class IncomingBodies {
  private readonly budget: number;
  private readonly shares: Readonly<Record<Origin, BodyShare>> = {
    hooks: new BodyShare(),
    api: new BodyShare(),
  };

  constructor({ bodyLimitBytes }: Pick<Settings, 'bodyLimitBytes'>) {
    this.budget = Math.max(TOTAL_BYTES, 2 * bodyLimitBytes);
  }

  /** Reads a body of at most `limit` bytes; what arrives after a failure is discarded. */
  read(request: IncomingMessage, origin: Origin, limit: number): Promise<Buffer | BodyFailure> {
    if (Number(request.headers['content-length']) > limit) return Promise.resolve('too_large');
    const share = this.shares[origin];
    return new Promise((resolve) => {
      const body: IncomingBody = { size: 0, chunks: [], cost: 0, fail: (failure) => end(failure) };
      const end = (result: Buffer | BodyFailure) => {
        if (!share.incoming.delete(body)) return;
        share.cost -= body.cost;
        body.chunks = [];
        resolve(result);
      };
      share.incoming.add(body);
      this.charge(body, share, MIN_REQUEST_COST);
      request.on('data', (chunk: Buffer) => {
        if (!share.incoming.has(body)) return;
        body.size += chunk.length;
        if (body.size > limit) return end('too_large');
        body.chunks.push(chunk);
        this.charge(body, share, Math.max(body.size, body.chunks.length * MIN_CHUNK_COST));
      });
      request.on('end', () => end(body.chunks.length === 1 ? body.chunks[0]! : Buffer.concat(body.chunks)));
      request.on('close', () => end('aborted'));
      request.on('error', () => end('aborted'));
    });
  }

  private charge(body: IncomingBody, share: BodyShare, cost: number): void {
    if (cost <= body.cost) return;
    share.cost += cost - body.cost;
    body.cost = cost;
    const { hooks, api } = this.shares;
    while (api.cost > API_BYTES) api.failOldest();
    while (hooks.cost + api.cost > this.budget) (api.incoming.size > 0 ? api : hooks).failOldest();
  }
}
