import { Button, Switch } from '@mantine/core';
import type { Sandbox } from '@contract/sandbox';
import { changeFaults } from '../../api/sandbox';
import { ErrorNote } from '../../components/error-note';
import { Panel } from '../../components/panel';
import { KNOWN_FAULTS, faultLabel } from '../../labels/fault-labels';
import { formatNoun } from '../../format/number';
import classes from './sandbox-panels.module.css';
import { useSandboxAction } from './use-sandbox-action';

/** The faults that the sandbox can inject, with their visible effect. */
export function FaultsPanel({ faults }: { faults: Sandbox['faults'] }) {
  const change = useSandboxAction(changeFaults);
  const names = Object.keys(faults).toSorted((one, other) => orderOf(one) - orderOf(other));
  const active = names.filter((name) => faults[name] !== false);
  const allOff = () => change.mutate(Object.fromEntries(active.map((name) => [name, false])));
  return (
    <Panel
      title="Faults"
      flush
      aside={
        <div className={classes.fields}>
          <span className={classes.quiet} aria-live="polite">
            {active.length === 0 ? 'No faults active' : `${formatNoun(active.length, 'fault')} active`}
          </span>
          {/* Not `disabled`, which would lose the focus. */}
          <Button
            aria-disabled={active.length === 0 || undefined}
            data-disabled={active.length === 0 || undefined}
            onClick={() => active.length > 0 && allOff()}
          >
            Clear all
          </Button>
        </div>
      }
    >
      {change.error !== null && (
        <div className={classes.error}>
          <ErrorNote error={change.error} />
        </div>
      )}
      <ul className={classes.faults}>
        {names.map((name) => (
          <FaultSwitch
            key={name}
            name={name}
            state={faults[name] ?? false}
            change={(state) => change.mutate({ [name]: state })}
          />
        ))}
      </ul>
    </Panel>
  );
}

const orderOf = (name: string) => (KNOWN_FAULTS.includes(name) ? KNOWN_FAULTS.indexOf(name) : Infinity);

interface FaultSwitchProps {
  name: string;
  state: boolean | number;
  change: (state: boolean | number) => void;
}

function FaultSwitch({ name, state, change }: FaultSwitchProps) {
  const label = faultLabel(name);
  const isOn = state !== false;
  return (
    <li className={classes.fault} data-on={isOn || undefined}>
      <Switch
        label={label.name}
        description={label.effect}
        checked={isOn}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />
      {typeof state === 'number' ? (
        <span className={classes.quiet}>{state === 1 ? 'next one' : `next ${state}`} only</span>
      ) : (
        <Button aria-label={`Once: ${label.name}`} onClick={() => change(1)}>
          Once
        </Button>
      )}
    </li>
  );
}
