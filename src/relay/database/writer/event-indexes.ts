import type { Statements } from './statements';
import type { SqliteTraffic } from './traffic';

/** One pass sorts this many events into the search indexes, and counts them: about 5 ms, within what an answer may wait. */
const PASS_EVENTS = 1_000;

/** The search indexes of types, entities and the targets of deliveries, filled behind the events in sorted passes, which also count them. */
export class SqliteEventIndexes {
  constructor(
    private readonly sql: Statements,
    private readonly traffic: SqliteTraffic,
    /** The events up to here are sorted in. */
    public through: number,
  ) {}

  /** Whether there is enough for a pass. */
  isBehind(lastSeq: number): boolean {
    return lastSeq - this.through >= PASS_EVENTS;
  }

  takePass(): void {
    this.takeThrough(this.through + PASS_EVENTS);
  }

  /** In a transaction: the counts of what is indexed are the counts of what was counted, after every crash. */
  takeThrough(through: number): void {
    if (through <= this.through) return;
    this.sql.indexTypes.run(this.through, through);
    this.sql.indexEntities.run(this.through, through);
    this.sql.indexTargets.run(this.through, through);
    this.traffic.countEvents(this.through, through);
    this.sql.setIndexedThrough.run(through);
    this.through = through;
  }
}
