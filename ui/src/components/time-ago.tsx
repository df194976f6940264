import { formatExact } from '../format/exact';
import { formatRelative } from '../format/relative';
import { useNow } from './use-now';

/** A time as a distance from now; the exact time on hover. */
export function TimeAgo({ at, className }: { at: string; className?: string | undefined }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatExact(at)} className={className}>
      {formatRelative(at, now)}
    </time>
  );
}
