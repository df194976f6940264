import type { IncomingMessage } from 'node:http';

/** Of all bodies together so much is read in one turn of the event loop. A piece has up to 64 KiB. */
const TURN_BYTES = 128 * 1024;
/** So many of the paused ones go on in the next turn. */
const GOING_ON = 2;

/**
 * Spreads the reading of bodies over the turns of the event loop. Node accepts one connection a turn: with every body that
 * is coming in read in each of them, new connections wait for seconds.
 */
export class PacedReading {
  private read = 0;
  private turnEnds = false;
  private readonly paused: IncomingMessage[] = [];

  /** @param isFull nothing goes on as long as it holds */
  constructor(private readonly isFull: () => boolean = () => false) {}

  /** To be called before whatever reads its body. Where nothing does, the body is dropped. */
  add(request: IncomingMessage): void {
    request.on('data', (piece: Buffer) => {
      this.read += piece.byteLength;
      if (this.read >= TURN_BYTES) {
        request.pause();
        this.paused.push(request);
      }
      this.endTurn();
    });
  }

  private endTurn(): void {
    if (this.turnEnds) return;
    this.turnEnds = true;
    setImmediate(() => {
      this.turnEnds = false;
      this.read = 0;
      if (!this.isFull()) for (const request of this.paused.splice(0, GOING_ON)) request.resume();
      if (this.paused.length > 0) this.endTurn();
    });
  }
}
