import { Link } from '@tanstack/react-router';
import { formatNoun } from '../../format/number';

interface BlockingDeadLettersProps {
  /** The id of the target. */
  target: string;
  count: number;
}

/** That dead letters block an ordered target, and what to do about it. */
export const BlockingDeadLetters = ({ target, count }: BlockingDeadLettersProps) => (
  <>
    Later deliveries are blocked by {formatNoun(count, 'dead letter')}:{' '}
    <Link to="/failures" search={{ target }}>
      retry or discard {count === 1 ? 'it' : 'them'}
    </Link>
  </>
);
