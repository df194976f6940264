import { Button, NumberInput } from '@mantine/core';
import { useState } from 'react';
import type { Sandbox } from '@contract/sandbox';
import { changeTraffic } from '../../api/sandbox';
import { ActionButton } from '../../components/action-button';
import { ActionOutcome } from '../../components/action-outcome';
import { Panel } from '../../components/panel';
import { formatCount, formatNoun, formatRate } from '../../format/number';
import classes from './sandbox-panels.module.css';
import { useSandboxAction } from './use-sandbox-action';

const RATES = [1, 10, 50, 200];
const MAX_EVENTS = 10_000;

/** The rate of generated events, and bursts. */
export function TrafficPanel({ traffic }: { traffic: Sandbox['traffic'] }) {
  const { events_per_second: currentRate, is_paused: isPaused } = traffic;
  const [rate, setRate] = useState<number | string>(currentRate);
  const [size, setSize] = useState<number | string>(100);
  const pace = useSandboxAction(changeTraffic);
  const burst = useSandboxAction(changeTraffic);
  const isGenerating = !isPaused && currentRate > 0;
  const setPace = (perSecond: number) => {
    setRate(perSecond);
    pace.mutate({ events_per_second: perSecond, is_paused: false });
  };
  return (
    <Panel
      title="Traffic"
      aside={
        <ActionButton
          pending={pace.isPending}
          action={() =>
            isGenerating || currentRate > 0 ? pace.mutate({ is_paused: isGenerating }) : setPace(RATES[0]!)
          }
        >
          {isGenerating ? 'Stop' : 'Start'}
        </ActionButton>
      }
    >
      <div className={classes.parts}>
        <p aria-live="polite">
          {isGenerating
            ? `Generating ${Number.isInteger(currentRate) ? formatCount(currentRate) : formatRate(currentRate)} ${currentRate === 1 ? 'event' : 'events'}/s.`
            : 'Not generating events.'}
        </p>
        <fieldset className={classes.fields}>
          <legend className={classes.legend}>Events per second</legend>
          {RATES.map((perSecond) => (
            <Button
              key={perSecond}
              aria-pressed={isGenerating && currentRate === perSecond}
              aria-label={`${perSecond} per second`}
              variant={isGenerating && currentRate === perSecond ? 'filled' : 'default'}
              onClick={() => setPace(perSecond)}
            >
              {perSecond}
            </Button>
          ))}
          <form
            className={classes.fields}
            onSubmit={(submit) => {
              submit.preventDefault();
              if (typeof rate === 'number') setPace(rate);
            }}
          >
            <NumberInput
              aria-label="Custom rate, events per second"
              size="xs"
              className={classes.number}
              min={0}
              max={MAX_EVENTS}
              clampBehavior="strict"
              value={rate}
              onChange={setRate}
            />
            <Button type="submit">Set</Button>
          </form>
        </fieldset>
        <fieldset className={classes.fields}>
          <legend className={classes.legend}>Events in a burst</legend>
          <form
            className={classes.fields}
            onSubmit={(submit) => {
              submit.preventDefault();
              if (typeof size === 'number' && !burst.isPending) burst.mutate({ burst: size });
            }}
          >
            <NumberInput
              aria-label="Number of events in the burst"
              className={classes.number}
              size="xs"
              min={1}
              max={MAX_EVENTS}
              allowDecimal={false}
              clampBehavior="strict"
              value={size}
              onChange={setSize}
            />
            <Button type="submit">Send burst</Button>
          </form>
        </fieldset>
        <ActionOutcome
          done={
            burst.isSuccess ? `${formatNoun(burst.variables.burst ?? 0, 'event')} created in a burst.` : null
          }
          error={burst.error ?? pace.error}
        />
      </div>
    </Panel>
  );
}
