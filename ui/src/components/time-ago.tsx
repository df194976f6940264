import { formatExact } from '../format/exact';
import { formatRelative, formatTimeLeft } from '../format/relative';
import { useNow } from './use-now';

/** A relative time, with the exact time on hover. */
export function TimeAgo({ at, className }: { at: string; className?: string | undefined }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatExact(at)} className={className}>
      {formatRelative(at, now)}
    </time>
  );
}

/** The time left until something is due, with the exact time on hover. */
export function TimeLeft({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatTimeLeft(at, now)}
    </time>
  );
}
