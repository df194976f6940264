import { Link } from '@tanstack/react-router';
import type { Outage } from '@contract/outage';
import { localizeTimes } from '../../format/exact';
import classes from './gap-row.module.css';

interface GapRowProps {
  outages: readonly Outage[];
  /** The `seq` of the events on both sides of it. */
  after: number;
  before: number;
}

/** The outages between two events of an entity: it may have changed more often than its events say. */
export function GapRow({ outages, after, before }: GapRowProps) {
  const gaps = outages.filter(({ after_seq: seq }) => seq !== null && seq >= after && seq < before);
  if (gaps.length === 0) return null;
  return (
    <li className={classes.gap}>
      {gaps.map(({ id, sentence, gap_event_id: gap }) => (
        <p key={id}>
          {localizeTimes(sentence)}{' '}
          {gap !== null && (
            <Link to="/events/$id" params={{ id: gap }}>
              Gap event
            </Link>
          )}
        </p>
      ))}
    </li>
  );
}
