import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PacedReading } from '../http/paced-reading';
import { SerialQueue } from '../ground/serial-queue';

/** Up to so many bytes a body is read and verified at once: usual notifications have a hundredth of it. */
const LARGE_BYTES = 64 * 1024;
/** So much is hashed in one turn of the event loop. */
const HASHED_IN_A_TURN = 512 * 1024;
/** None is read on while so much waits to be hashed. */
const UNHASHED_BYTES = 16 * 1024 * 1024;

/**
 * Spreads the reading and the hashing of large bodies over the turns of the event loop, so that small notifications come in
 * between: anybody who knows the key can send large bodies, signed or not.
 */
@Injectable()
export class LargeBodies {
  private unhashed = 0;
  private readonly reading = new PacedReading(() => this.unhashed >= UNHASHED_BYTES);
  private readonly hashing = new SerialQueue();

  isLarge(body: Uint8Array): boolean {
    return body.byteLength > LARGE_BYTES;
  }

  /** To be called before whatever reads its body. */
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
      for (let from = 0; from < body.byteLength; from += HASHED_IN_A_TURN) {
        hmac.update(body.subarray(from, from + HASHED_IN_A_TURN));
        await nextTurn();
      }
      this.unhashed -= body.byteLength;
      return hmac.digest('hex');
    });
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
