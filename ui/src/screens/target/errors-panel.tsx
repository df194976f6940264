import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '../../../../src/contract/delivery';
import type { Target } from '../../../../src/contract/target';
import { latestOfTargetQuery } from '../../api/deliveries';
import { Panel } from '../../components/panel';
import { PendingData } from '../../components/pending-data';
import { TimeAgo } from '../../components/time-ago';
import { errorInWords } from '../../text/delivery-words';
import { formatCount, formatNoun } from '../../text/format-number';
import classes from './errors-panel.module.css';

interface Kind {
  /** As deliveries are filtered by it: the daemon's name, or the status that was answered. */
  error: string;
  word: string;
  count: number;
  latest: string;
}

/** What went wrong with the newest deliveries, the most frequent first; each leads to those that it befell. */
export function ErrorsPanel({ target, chosen }: { target: Target; chosen: string | undefined }) {
  const query = useQuery(latestOfTargetQuery(target.id));
  const { data } = query;
  const kinds = kindsOf(data ?? []);
  return (
    <Panel
      title="Errors"
      flush
      aside={
        data !== undefined &&
        data.length > 0 && (
          <span className={classes.time}>
            of the last {formatNoun(data.length, 'delivery', 'deliveries')}
          </span>
        )
      }
    >
      <PendingData query={query} rows={2} flush />
      {data !== undefined && kinds.length === 0 && (
        <p className={classes.none}>
          {data.length === 0 ? 'Nothing went here yet.' : 'None: the last try of each went well.'}
        </p>
      )}
      <ul>
        {kinds.map((kind) => (
          <li key={kind.error}>
            <Link
              to="/targets/$id"
              params={{ id: target.id }}
              search={kind.error === chosen ? {} : { error: kind.error }}
              replace
              resetScroll={false}
              className={classes.row}
              aria-current={kind.error === chosen || undefined}
              title={kind.error === chosen ? 'Show all deliveries again' : 'Show these deliveries only'}
            >
              <span>{kind.word}</span>
              <span className={classes.count}>{formatCount(kind.count)}</span>
              <TimeAgo at={kind.latest} className={classes.time} />
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function kindsOf(newestFirst: readonly Delivery[]): Kind[] {
  const kinds = new Map<string, Kind>();
  for (const { last_error: failure, last_status: status, created_at: latest } of newestFirst) {
    if (failure === null) continue;
    const answered = failure === 'http_status' && status !== null;
    const error = answered ? String(status) : failure;
    const known = kinds.get(error);
    if (known === undefined)
      kinds.set(error, {
        error,
        word: answered ? `Answered ${status}` : errorInWords(failure),
        count: 1,
        latest,
      });
    else known.count += 1;
  }
  return [...kinds.values()].sort((one, other) => other.count - one.count);
}
