import type { Target } from '../../../../src/contract/target';
import { Copyable } from '../../components/copyable';
import { Fact, Facts } from '../../components/facts';
import { TimeAgo } from '../../components/time-ago';

/** What a target is known by. */
export function TargetFacts({ target }: { target: Target }) {
  return (
    <Facts>
      <Fact name="Target id">
        <Copyable value={target.id} label="Copy the target id" />
      </Fact>
      <Fact name="Address">
        <Copyable value={target.url} label="Copy the address" />
      </Fact>
      <Fact name="Created">
        <TimeAgo at={target.created_at} />
      </Fact>
      <Fact name="Updated">
        <TimeAgo at={target.updated_at} />
      </Fact>
    </Facts>
  );
}
