import { IconPlayerPlay } from '@tabler/icons-react';
import type { ReplayPreview } from '@contract/replay';
import type { ReplayInput } from '../../api/replays';
import { ActionButton } from '../../components/action-button';
import { ErrorNote } from '../../components/error-note';
import { Fact, Facts } from '../../components/facts';
import { CopyAs } from '../../features/copy-command/copy-as';
import { startOfReplay } from '../../features/copy-command/requests';
import { useStartReplay } from '../../features/replays/use-start-replay';
import { useTargetNames } from '../../features/targets/use-target-names';
import { formatNoun } from '../../format/number';
import { describeDestination, describeFilter, describeReplayRate } from '../../labels/replay-labels';

interface StartReplayProps {
  input: ReplayInput;
  preview: ReplayPreview | undefined;
  /** Why there is no preview. */
  planError: string | undefined;
}

/** The last step: the summary and the start button. */
export function StartReplay({ input, preview, planError }: StartReplayProps) {
  const nameOf = useTargetNames();
  const start = useStartReplay({ replace: true });
  if (planError !== undefined) return <p>{planError}</p>;
  const count = preview?.events ?? 0;
  const counted = { ...input, filter: { ...input.filter, until_seq: preview?.until_seq } };
  return (
    <>
      <Facts>
        <Fact name="Events">{describeFilter(input.filter, nameOf).join(' ')}</Fact>
        <Fact name="Destination">{describeDestination(input, nameOf)}</Fact>
        <Fact name="Speed">{describeReplayRate(input.rate)}</Fact>
      </Facts>
      <p>
        Only events counted here are sent; events that arrive later are not included. You can pause or cancel
        the replay at any time.
      </p>
      {start.error !== null && <ErrorNote error={start.error} />}
      <CopyAs lines={() => startOfReplay(counted)} />
      {preview !== undefined && count > 0 && (
        <div>
          <ActionButton
            variant="filled"
            leftSection={<IconPlayerPlay size={14} aria-hidden />}
            pending={start.isPending}
            action={() => start.mutate(counted)}
          >
            Replay {preview.estimated ? 'about ' : ''}
            {formatNoun(count, 'event')}
          </ActionButton>
        </div>
      )}
    </>
  );
}
