import type { Readable } from 'node:stream';

/** Of all bodies together so much is read in one turn of the event loop. A piece has up to 64 KiB, and counts for at least 512. */
const TURN_BYTES = 128 * 1024;
const LEAST_PIECE_BYTES = 512;
/** So many of the paused ones go on in the next turn. */
const GOING_ON = 2;

/**
 * Spreads the reading of bodies over the turns of the event loop. Node accepts one connection a turn: with every body that
 * is coming in read in each of them, new connections wait for seconds.
 */
export class PacedReading {
  private read = 0;
  private turnEnds = false;
  private readonly paused: Readable[] = [];

  /** @param isFull nothing goes on as long as it holds */
  constructor(private readonly isFull: () => boolean = () => false) {}

  /** To be called before whatever reads it. Where nothing does, what comes is dropped. */
  add(source: Readable): void {
    source.on('data', (piece: Buffer) => {
      this.read += Math.max(piece.byteLength, LEAST_PIECE_BYTES);
      if (this.read >= TURN_BYTES) {
        source.pause();
        this.paused.push(source);
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
      if (!this.isFull()) for (const source of this.paused.splice(0, GOING_ON)) source.resume();
      if (this.paused.length > 0) this.endTurn();
    });
  }
}
