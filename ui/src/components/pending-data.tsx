import { ErrorNote } from './error-note';
import { LoadingPanels, LoadingRows } from './loading-rows';
import panel from './panel.module.css';

interface PendingDataProps {
  query: { data: unknown; error: unknown; refetch: () => unknown };
  /** Number of placeholder rows; without it, the placeholder is that of a whole screen. */
  rows?: number;
  /** Whether the surrounding panel has no padding. */
  flush?: boolean;
}

/** Loading and error states of a query that has no data yet. */
export function PendingData({ query, rows, flush = false }: PendingDataProps) {
  if (query.data !== undefined) return null;
  if (query.error === null) return rows === undefined ? <LoadingPanels /> : <LoadingRows count={rows} />;
  return (
    <div className={flush ? panel.body : undefined}>
      <ErrorNote error={query.error} retry={() => void query.refetch()} />
    </div>
  );
}
