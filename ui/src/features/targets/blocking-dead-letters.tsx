import { Link } from '@tanstack/react-router';
import { formatNoun } from '../../format/number';

interface BlockingDeadLettersProps {
  /** The id of the target. */
  target: string;
  count: number;
}

/** That dead letters block an ordered target, and where to retry or discard them: short, as it is part of a row. */
export const BlockingDeadLetters = ({ target, count }: BlockingDeadLettersProps) => (
  <>
    Blocked by {formatNoun(count, 'dead letter')}:{' '}
    <Link to="/failures" search={{ target }}>
      Review
    </Link>
  </>
);
