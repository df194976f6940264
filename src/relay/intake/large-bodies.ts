import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PacedReading } from '../http/paced-reading';
import { SerialQueue } from '../ground/serial-queue';

/** Bodies up to this size are read and verified at once: usual notifications have a hundredth of it. */
const LARGE_BYTES = 64 * 1024;
/** Hashed per turn of the event loop. */
const HASH_CHUNK_BYTES = 512 * 1024;
/** Reading pauses while this much waits to be hashed. */
const MAX_UNHASHED_BYTES = 16 * 1024 * 1024;

/**
 * Spreads reading and hashing of large bodies over turns of the event loop, so that small notifications are
 * not delayed: anybody who knows the key can send large bodies, signed or not.
 */
@Injectable()
export class LargeBodies {
  private unhashed = 0;
  private readonly reading = new PacedReading(() => this.unhashed >= MAX_UNHASHED_BYTES);
  private readonly hashing = new SerialQueue();

  isLarge(body: Uint8Array): boolean {
    return body.byteLength > LARGE_BYTES;
  }

  /** Call before reading the body. */
  pace(request: IncomingMessage): void {
    const length = request.headers['content-length'];
    if (length !== undefined && Number(length) <= LARGE_BYTES) return;
    this.reading.add(request);
  }

  /** The HMAC-SHA256 of a body in hex, one body after the other. */
  hmac(body: Uint8Array, secret: string): Promise<string> {
    this.unhashed += body.byteLength;
    return this.hashing.run(async () => {
      const hmac = createHmac('sha256', secret);
      for (let from = 0; from < body.byteLength; from += HASH_CHUNK_BYTES) {
        hmac.update(body.subarray(from, from + HASH_CHUNK_BYTES));
        await nextTick();
      }
      this.unhashed -= body.byteLength;
      return hmac.digest('hex');
    });
  }
}

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));
