import { ErrorNote } from './error-note';
import { LoadingRows } from './loading-rows';
import classes from './pending-data.module.css';

interface PendingDataProps {
  query: { data: unknown; error: unknown; refetch: () => unknown };
  /** So many rows are given a place while they are on their way, each so high. */
  rows: number;
  height?: number;
  /** In what reaches to its panel's edge. */
  flush?: boolean;
}

/** Loading and error states of a query that has no data yet. */
export function PendingData({ query, rows, height, flush = false }: PendingDataProps) {
  if (query.data !== undefined) return null;
  if (query.error === null) return <LoadingRows count={rows} height={height} />;
  return (
    <div className={flush ? classes.flush : undefined}>
      <ErrorNote error={query.error} retry={() => void query.refetch()} />
    </div>
  );
}
