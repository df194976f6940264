import { Link } from '@tanstack/react-router';
import type { ReplaySummary } from '@contract/replay';
import { Copyable } from '../../components/copyable';
import { Fact, Facts } from '../../components/facts';
import { ExactTime } from '../../components/time-ago';
import { useTargetNames } from '../../features/targets/use-target-names';
import { formatTwoUnits } from '../../format/duration';
import { formatCount } from '../../format/number';
import { describeDestination, describeFilter, describeReplayRate } from '../../labels/replay-labels';

/** The plan of a replay. */
export function ReplayFacts({ replay }: { replay: ReplaySummary }) {
  const nameOf = useTargetNames();
  const { created_at: started, ended_at: ended, event_id: event } = replay;
  return (
    <Facts>
      <Fact name="Events">
        {event === null ? (
          describeFilter(replay.filter, nameOf).join(' ')
        ) : (
          <Link to="/events/$id" params={{ id: event }}>
            One event
          </Link>
        )}
      </Fact>
      <Fact name="Destination">{describeDestination(replay, nameOf)}</Fact>
      <Fact name="Speed">{describeReplayRate(replay.rate)}</Fact>
      <Fact name="Up to">sequence {formatCount(replay.until_seq)}; later events are not included</Fact>
      <Fact name="Started">
        <ExactTime at={started} />
      </Fact>
      {ended !== null && (
        <>
          <Fact name="Finished">
            <ExactTime at={ended} />
          </Fact>
          <Fact name="Duration">
            {formatTwoUnits(Math.round((Date.parse(ended) - Date.parse(started)) / 1_000))}
          </Fact>
        </>
      )}
      <Fact name="Replay id">
        <Copyable value={replay.id} label="Copy the replay id" />
      </Fact>
    </Facts>
  );
}
