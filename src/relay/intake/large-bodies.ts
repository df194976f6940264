import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PacedReading } from '../http/paced-reading';
import { SerialQueue } from '../ground/serial-queue';

/** Larger bodies are read and hashed in steps. A typical notification has a hundredth of this size. */
const LARGE_BYTES = 64 * 1024;
/** How much is hashed in one turn of the event loop. */
const HASH_CHUNK_BYTES = 512 * 1024;
/** Reading pauses while this much has been read but not hashed. */
const MAX_UNHASHED_BYTES = 16 * 1024 * 1024;

/**
 * Spreads reading and hashing of large bodies over turns of the event loop, so that small notifications are not
 * delayed: anybody who knows the key can send large bodies, signed or not.
 */
@Injectable()
export class LargeBodies {
  private unhashedBytes = 0;
  private readonly reading = new PacedReading(() => this.unhashedBytes >= MAX_UNHASHED_BYTES);
  private readonly hashing = new SerialQueue();

  isLarge(body: Uint8Array): boolean {
    return body.byteLength > LARGE_BYTES;
  }

  /** Paces the reading of a large body, or of one of unknown length. Call it before reading starts. */
  pace(request: IncomingMessage): void {
    const length = request.headers['content-length'];
    if (length !== undefined && Number(length) <= LARGE_BYTES) return;
    this.reading.add(request);
  }

  /** The HMAC-SHA256 of a body in hex. Bodies are hashed one at a time. */
  hmac(body: Uint8Array, secret: string): Promise<string> {
    this.unhashedBytes += body.byteLength;
    return this.hashing.run(async () => {
      const hmac = createHmac('sha256', secret);
      for (let from = 0; from < body.byteLength; from += HASH_CHUNK_BYTES) {
        hmac.update(body.subarray(from, from + HASH_CHUNK_BYTES));
        await nextTurn();
      }
      this.unhashedBytes -= body.byteLength;
      return hmac.digest('hex');
    });
  }
}
