import { Radio } from '@mantine/core';
import { DebouncedInput } from '../../components/debounced-input';
import { TargetCheckboxes } from '../../features/targets/target-checkboxes';
import { speedError, type ReplaySearch } from '../../search/replay-search';
import classes from './new-replay-screen.module.css';

interface StepProps {
  plan: ReplaySearch;
  change: (part: ReplaySearch) => void;
}

interface ChooseDestinationProps extends StepProps {
  /** Whether targets are selected instead of the original ones. */
  selecting: boolean;
  setSelecting: (selecting: boolean) => void;
}

/** The second step: to which targets, and at which speed. */
export function ChooseDestination({ plan, change, ...selection }: ChooseDestinationProps) {
  return (
    <>
      <Targets plan={plan} change={change} {...selection} />
      <Speed plan={plan} change={change} />
    </>
  );
}

function Targets({ plan: { to }, change, selecting, setSelecting }: ChooseDestinationProps) {
  return (
    <>
      <Radio.Group
        label="Destination"
        value={selecting ? 'some' : 'live'}
        onChange={(value) => {
          setSelecting(value === 'some');
          if (value === 'live') change({ to: undefined });
        }}
      >
        <div className={classes.choices}>
          <Radio
            value="live"
            label="Original targets"
            description="Targets that no longer exist or are disabled are skipped."
          />
          <Radio
            value="some"
            label="Selected targets"
            description="Sends all events, whether or not they match a target’s event types and filter."
          />
        </div>
      </Radio.Group>
      {selecting && (
        <div className={classes.nested}>
          <TargetCheckboxes label="Targets" selected={to ?? []} onSelect={(ids) => change({ to: ids })} />
        </div>
      )}
    </>
  );
}

type Speed = 'free' | 'per_second' | 'pace';
const INITIAL_SPEED = { per_second: '10', pace: '1' } as const;

function Speed({ plan: { per_second: perSecond, pace }, change }: StepProps) {
  const kind: Speed = perSecond !== undefined ? 'per_second' : pace !== undefined ? 'pace' : 'free';
  const select = (value: string) =>
    change({
      per_second: value === 'per_second' ? (perSecond ?? INITIAL_SPEED.per_second) : undefined,
      pace: value === 'pace' ? (pace ?? INITIAL_SPEED.pace) : undefined,
    });
  return (
    <Radio.Group label="Speed" value={kind} onChange={select}>
      <div className={classes.choices}>
        <Radio
          value="free"
          label="As fast as targets respond"
          description="Within each target’s rate limit; live events go first."
        />
        <Radio value="per_second" label="Rate limit" description="A maximum number of events per second." />
        {perSecond !== undefined && (
          <DebouncedInput
            className={classes.speed}
            type="number"
            min={0.01}
            step="any"
            label="Events per second"
            value={perSecond}
            error={speedError('per_second', perSecond)}
            onCommit={(text) => change({ per_second: text === '' ? INITIAL_SPEED.per_second : text })}
          />
        )}
        <Radio
          value="pace"
          label="At the original speed"
          description="With the original intervals between events, optionally sped up."
        />
        {pace !== undefined && (
          <DebouncedInput
            className={classes.speed}
            type="number"
            min={0.01}
            step="any"
            label="Speed factor"
            value={pace}
            error={speedError('pace', pace)}
            onCommit={(text) => change({ pace: text === '' ? INITIAL_SPEED.pace : text })}
          />
        )}
      </div>
    </Radio.Group>
  );
}
