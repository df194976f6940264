import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Settings } from '../settings/settings';

/** What all bodies together may take while they come in. */
const TOTAL_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Why there is no body. `aborted`: the sender went away, so nobody waits for an answer; `overload`: too much was coming in
 * at once, and this had been coming in for longest.
 */
export type BodyRefusal = 'too_large' | 'aborted' | 'overload';

interface Incoming {
  size: number;
  giveUp: (refusal: BodyRefusal) => void;
}

/** The bodies of notifications on their way in, bounded each and together. */
@Injectable()
export class IncomingBodies {
  private readonly limit: number;
  private readonly totalLimit: number;
  private total = 0;
  /** In the order in which they began. */
  private readonly incoming = new Set<Incoming>();

  constructor({ bodyLimitBytes }: Settings) {
    this.limit = bodyLimitBytes;
    this.totalLimit = Math.max(TOTAL_LIMIT_BYTES, bodyLimitBytes);
  }

  /** The bytes of a request; what comes after a refusal is not kept. */
  read(request: IncomingMessage): Promise<Buffer | BodyRefusal> {
    if (Number(request.headers['content-length']) > this.limit) return Promise.resolve('too_large');
    return new Promise((resolve) => {
      let chunks: Buffer[] = [];
      const one: Incoming = { size: 0, giveUp: (refusal) => end(refusal) };
      const end = (result: Buffer | BodyRefusal) => {
        if (!this.incoming.delete(one)) return;
        this.total -= one.size;
        chunks = [];
        resolve(result);
      };
      this.incoming.add(one);
      request.on('data', (chunk: Buffer) => {
        if (!this.incoming.has(one)) return;
        chunks.push(chunk);
        this.grow(one, chunk.length);
      });
      request.on('end', () => end(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
      request.on('close', () => end('aborted'));
      request.on('error', () => end('aborted'));
    });
  }

  private grow(one: Incoming, bytes: number): void {
    one.size += bytes;
    this.total += bytes;
    if (one.size > this.limit) one.giveUp('too_large');
    // Whoever has been sending for longest is the slowest, and Co-Pilot is none: it gives up after 5 s.
    for (const slowest of this.incoming) {
      if (this.total <= this.totalLimit) break;
      slowest.giveUp('overload');
    }
  }
}
