import type { Statements } from './statements';
import type { SqliteTraffic } from './traffic';

/** The events that one pass adds to the search indexes and counts: about 5 ms, which a response may wait. */
const PASS_EVENTS = 1_000;

/** The search indexes of types, entities and delivery targets, filled behind the events in sorted passes that also count them. */
export class SqliteEventIndexes {
  constructor(
    private readonly sql: Statements,
    private readonly traffic: SqliteTraffic,
    /** The newest event that is indexed. */
    public through: number,
  ) {}

  /** Whether there are enough events for a pass. */
  isBehind(lastSeq: number): boolean {
    return lastSeq - this.through >= PASS_EVENTS;
  }

  takePass(): void {
    this.takeThrough(this.through + PASS_EVENTS);
  }

  /** Call it in a transaction, so that what is indexed and what is counted agree after a crash. */
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
