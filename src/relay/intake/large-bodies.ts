import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Turns } from '../turns';

/** Up to so many bytes a body is read and verified at once: usual notifications have a hundredth of it. */
const LARGE_BYTES = 64 * 1024;
/** Of all large bodies together so much is read, and so much hashed, in one turn of the event loop. */
const TURN_BYTES = 512 * 1024;
/** So many of those that wait go on in the next turn; each brings a piece of up to 64 KiB. */
const GOING_ON = 8;
/** None goes on while so much waits to be hashed. */
const UNHASHED_BYTES = 16 * 1024 * 1024;

/**
 * Spreads the reading and the hashing of large bodies over the turns of the event loop, so that small notifications come in
 * between: anybody who knows the key can send large bodies, signed or not.
 */
@Injectable()
export class LargeBodies {
  private read = 0;
  private unhashed = 0;
  private turnEnds = false;
  private readonly paused: IncomingMessage[] = [];
  private readonly hashing = new Turns();

  isLarge(body: Uint8Array): boolean {
    return body.byteLength > LARGE_BYTES;
  }

  /** To be called before whatever reads its body. */
  pace(request: IncomingMessage): void {
    const length = request.headers['content-length'];
    if (length !== undefined && Number(length) <= LARGE_BYTES) return;
    request.on('data', (piece: Buffer) => {
      this.read += piece.byteLength;
      if (this.read >= TURN_BYTES) {
        request.pause();
        this.paused.push(request);
      }
      this.endTurn();
    });
  }

  /** The HMAC-SHA256 of a body in hex, one body after the other. */
  hmac(body: Uint8Array, secret: string): Promise<string> {
    this.unhashed += body.byteLength;
    return this.hashing.take(async () => {
      const hmac = createHmac('sha256', secret);
      for (let from = 0; from < body.byteLength; from += TURN_BYTES) {
        hmac.update(body.subarray(from, from + TURN_BYTES));
        await nextTurn();
      }
      this.unhashed -= body.byteLength;
      return hmac.digest('hex');
    });
  }

  private endTurn(): void {
    if (this.turnEnds) return;
    this.turnEnds = true;
    setImmediate(() => {
      this.turnEnds = false;
      this.read = 0;
      if (this.unhashed < UNHASHED_BYTES)
        for (const request of this.paused.splice(0, GOING_ON)) request.resume();
      if (this.paused.length > 0) this.endTurn();
    });
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
