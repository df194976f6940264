import type { EventSummary } from '@contract/event';
import type { Page } from '@contract/page';

/** Why new rows are held back. */
export type HoldReason = 'paused' | 'scrolled' | 'selected' | 'pointed';

/** A snapshot for rendering. */
export interface TailView {
  rows: EventSummary[];
  newCount: number;
  /** Whether the count is only a lower bound. */
  isNewCountMinimum: boolean;
  holdReasons: ReadonlySet<HoldReason>;
  phase: 'loading' | 'ready' | 'failed';
  error: unknown;
  hasOlder: boolean;
  loadingOlder: boolean;
}

/** Scroll offset and active row. */
export interface Position {
  offset: number;
  activeId: string | null;
}

/** Reads one page of the daemon's list; `cursor` is the id of the event above it. */
export type LoadPage = (limit: number, cursor?: string) => Promise<Page<EventSummary>>;
