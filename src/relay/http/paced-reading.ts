import type { Readable } from 'node:stream';

/** For all sources together. A chunk has up to 64 KiB, and counts as at least 512 bytes. */
const MAX_BYTES_PER_TURN = 128 * 1024;
const MIN_CHUNK_COST = 512;
/** How many paused sources are resumed in one turn. */
const RESUMED_PER_TURN = 2;

/**
 * Spreads the reading of bodies over turns of the event loop. Node accepts one connection per turn: if each turn also
 * read every incoming body, new connections would wait for seconds.
 */
export class PacedReading {
  private bytesInTurn = 0;
  private isTurnScheduled = false;
  private readonly paused: Readable[] = [];

  /** @param isFull while this returns true, paused sources are not resumed */
  constructor(private readonly isFull: () => boolean = () => false) {}

  /** Call this before adding other listeners; without any, the data is discarded. */
  add(source: Readable): void {
    source.on('data', (chunk: Buffer) => {
      this.bytesInTurn += Math.max(chunk.byteLength, MIN_CHUNK_COST);
      if (this.bytesInTurn >= MAX_BYTES_PER_TURN) {
        source.pause();
        this.paused.push(source);
      }
      this.scheduleNextTurn();
    });
  }

  private scheduleNextTurn(): void {
    if (this.isTurnScheduled) return;
    this.isTurnScheduled = true;
    setImmediate(() => {
      this.isTurnScheduled = false;
      this.bytesInTurn = 0;
      if (!this.isFull()) for (const source of this.paused.splice(0, RESUMED_PER_TURN)) source.resume();
      if (this.paused.length > 0) this.scheduleNextTurn();
    });
  }
}
