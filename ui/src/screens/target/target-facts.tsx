import type { Target } from '../../../../src/contract/target';
import { BacklogWords } from '../../components/backlog-words';
import { Copyable } from '../../components/copyable';
import { Fact, Facts } from '../../components/facts';
import { Mono } from '../../components/mono';
import { TimeAgo } from '../../components/time-ago';
import { formatCount } from '../../text/format-number';
import { eventsInWords, targetWords } from '../../text/target-words';

/** What is set for a target and how it stands. */
export function TargetFacts({ target }: { target: Target }) {
  const words = targetWords(target);
  return (
    <Facts>
      <Fact name="State">
        {words.word}. {words.meaning}
        {target.paused !== null && (
          <>
            {' '}
            Since <TimeAgo at={target.paused.at} />.
          </>
        )}
      </Fact>
      <Fact name="Backlog">
        <BacklogWords backlog={target.backlog} />
      </Fact>
      <Fact name="In flight">{formatCount(target.backlog.in_flight)}</Fact>
      <Fact name="Takes">
        <Mono>{eventsInWords(target.events, Infinity)}</Mono>
      </Fact>
      <Fact name="Address">
        <Mono>{target.url}</Mono>
      </Fact>
      <Fact name="Secret">Set; it was shown when the target was made</Fact>
      <Fact name="Target id">
        <Copyable value={target.id} label="Copy the target id" />
      </Fact>
      <Fact name="Made">
        <TimeAgo at={target.created_at} />
      </Fact>
      <Fact name="Changed">
        <TimeAgo at={target.updated_at} />
      </Fact>
    </Facts>
  );
}
