import { Radio } from '@mantine/core';
import { DebouncedInput } from '../../components/debounced-input';
import { TargetChoice } from '../../features/targets/target-choice';
import { speedError, type ReplaySearch } from '../../search/replay-search';
import classes from './new-replay-screen.module.css';

interface StepProps {
  plan: ReplaySearch;
  change: (part: ReplaySearch) => void;
}

interface WhereProps extends StepProps {
  /** Targets are to be named. */
  choosing: boolean;
  setChoosing: (choosing: boolean) => void;
}

/** The second step: to which targets, and at which speed. */
export function ChooseDestination({ plan, change, ...way }: WhereProps) {
  return (
    <>
      <Where plan={plan} change={change} {...way} />
      <Speed plan={plan} change={change} />
    </>
  );
}

function Where({ plan: { to }, change, choosing, setChoosing }: WhereProps) {
  return (
    <>
      <Radio.Group
        label="Destination"
        value={choosing ? 'some' : 'live'}
        onChange={(value) => {
          setChoosing(value === 'some');
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
      {choosing && (
        <div className={classes.under}>
          <TargetChoice label="Targets" selected={to ?? []} onSelect={(ids) => change({ to: ids })} />
        </div>
      )}
    </>
  );
}

type Speed = 'free' | 'per_second' | 'pace';
const AT_FIRST = { per_second: '10', pace: '1' } as const;

function Speed({ plan: { per_second: perSecond, pace }, change }: StepProps) {
  const chosen: Speed = perSecond !== undefined ? 'per_second' : pace !== undefined ? 'pace' : 'free';
  const choose = (value: string) =>
    change({
      per_second: value === 'per_second' ? (perSecond ?? AT_FIRST.per_second) : undefined,
      pace: value === 'pace' ? (pace ?? AT_FIRST.pace) : undefined,
    });
  return (
    <Radio.Group label="Speed" value={chosen} onChange={choose}>
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
            onSettle={(text) => change({ per_second: text === '' ? AT_FIRST.per_second : text })}
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
            onSettle={(text) => change({ pace: text === '' ? AT_FIRST.pace : text })}
          />
        )}
      </div>
    </Radio.Group>
  );
}
