import type { Statement } from './statements';

/** Statements that run in the transaction of a change. */
export interface Attachment {
  statements: Statement[];
  /** @param rows for each statement, on disk; null if neither the change nor the attachment was stored */
  onStored(rows: unknown[][] | null): void;
}
