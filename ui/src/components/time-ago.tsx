import { formatExact } from '../format/exact';
import { formatRelative, formatTimeLeft } from '../format/relative';
import { useNow } from './use-now';

/**
 * How long ago something happened, with the exact time on hover. Never in the future: the page's clock may lag
 * behind on a busy machine.
 */
export function TimeAgo({ at, className }: { at: string; className?: string | undefined }) {
  const now = Math.max(useNow(), Date.parse(at));
  return (
    <time dateTime={at} title={formatExact(at)} className={className}>
      {formatRelative(at, now)}
    </time>
  );
}

/** A time in the future, or in the past once it has passed, with the exact time on hover. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={formatExact(at)}>
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

/** The exact time, which is not broken into two lines. */
export function ExactTime({ at }: { at: string }) {
  return <time dateTime={at}>{formatExact(at)}</time>;
}
