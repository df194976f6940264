import type { IncomingMessage } from 'node:http';
import type { Settings } from '../settings/settings';

/** What all bodies together may take while they come in, and what those of the API may take of it. */
const TOTAL_BYTES = 64 * 1024 * 1024;
const API_BYTES = 16 * 1024 * 1024;
/** What a request counts for at least, and each piece of its body: small ones take more memory than their bytes say. */
const LEAST_REQUEST_BYTES = 16 * 1024;
const LEAST_CHUNK_BYTES = 512;

/**
 * Why there is no body. `aborted`: the sender went away, so nobody waits for an answer; `overload`: too much was coming in
 * at once, and this had been coming in for longest.
 */
export type BodyRefusal = 'too_large' | 'aborted' | 'overload';

/** `hooks` are Co-Pilot's notifications, `api` is everything else. */
type Origin = 'hooks' | 'api';

interface Incoming {
  size: number;
  chunks: Buffer[];
  /** What it counts for against the budget. */
  cost: number;
  giveUp: (refusal: BodyRefusal) => void;
}

/** Bodies on their way in, in the order in which they began. */
class Share {
  readonly incoming = new Set<Incoming>();
  cost = 0;

  /** Whoever has been sending for longest is the slowest, and Co-Pilot is none: it gives up after 5 s. */
  refuseSlowest(): void {
    const [slowest] = this.incoming;
    slowest?.giveUp('overload');
  }
}

/**
 * All bodies that are being read, on one budget. Those of the API have a small part of it and give way first, so that
 * nothing that is sent there keeps a notification out.
 */
export class IncomingBodies {
  private readonly budget: number;
  private readonly shares: Readonly<Record<Origin, Share>> = { hooks: new Share(), api: new Share() };

  constructor({ bodyLimitBytes }: Pick<Settings, 'bodyLimitBytes'>) {
    this.budget = Math.max(TOTAL_BYTES, 2 * bodyLimitBytes);
  }

  /** The bytes of a request, `limit` of them at most; what comes after a refusal is not kept. */
  read(request: IncomingMessage, origin: Origin, limit: number): Promise<Buffer | BodyRefusal> {
    if (Number(request.headers['content-length']) > limit) return Promise.resolve('too_large');
    const share = this.shares[origin];
    return new Promise((resolve) => {
      const one: Incoming = { size: 0, chunks: [], cost: 0, giveUp: (refusal) => end(refusal) };
      const end = (result: Buffer | BodyRefusal) => {
        if (!share.incoming.delete(one)) return;
        share.cost -= one.cost;
        one.chunks = [];
        resolve(result);
      };
      share.incoming.add(one);
      this.charge(one, share, LEAST_REQUEST_BYTES);
      request.on('data', (chunk: Buffer) => {
        if (!share.incoming.has(one)) return;
        one.size += chunk.length;
        if (one.size > limit) return end('too_large');
        one.chunks.push(chunk);
        this.charge(one, share, Math.max(one.size, one.chunks.length * LEAST_CHUNK_BYTES));
      });
      request.on('end', () => end(one.chunks.length === 1 ? one.chunks[0]! : Buffer.concat(one.chunks)));
      request.on('close', () => end('aborted'));
      request.on('error', () => end('aborted'));
    });
  }

  private charge(one: Incoming, share: Share, cost: number): void {
    if (cost <= one.cost) return;
    share.cost += cost - one.cost;
    one.cost = cost;
    this.keepWithinBudget();
  }

  private keepWithinBudget(): void {
    const { hooks, api } = this.shares;
    while (api.cost > API_BYTES) api.refuseSlowest();
    while (hooks.cost + api.cost > this.budget) (api.incoming.size > 0 ? api : hooks).refuseSlowest();
  }
}
