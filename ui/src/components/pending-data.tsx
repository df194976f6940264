import { ErrorNote } from './error-note';
import { LoadingRows } from './loading-rows';
import panel from './panel.module.css';

interface PendingDataProps {
  query: { data: unknown; error: unknown; refetch: () => unknown };
  /** Number of placeholder rows. */
  rows: number;
  /** Height of a placeholder row, in px. */
  height?: number;
  /** Whether the surrounding panel has no padding. */
  flush?: boolean;
}

/** Loading and error states of a query that has no data yet. */
export function PendingData({ query, rows, height, flush = false }: PendingDataProps) {
  if (query.data !== undefined) return null;
  if (query.error === null) return <LoadingRows count={rows} height={height} />;
  return (
    <div className={flush ? panel.body : undefined}>
      <ErrorNote error={query.error} retry={() => void query.refetch()} />
    </div>
  );
}
