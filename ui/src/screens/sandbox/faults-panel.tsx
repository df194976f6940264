import { Button, Switch } from '@mantine/core';
import type { Sandbox } from '../../../../src/contract/sandbox';
import { changeFaults } from '../../api/sandbox';
import { ErrorNote } from '../../components/error-note';
import { Panel } from '../../components/panel';
import { KNOWN_FAULTS, faultLabel } from '../../labels/fault-labels';
import { formatNoun } from '../../format/number';
import classes from './sandbox-panels.module.css';
import { useSandboxAction } from './use-sandbox-action';

/** What the sandbox does wrong, each with what one will see of it. */
export function FaultsPanel({ faults }: { faults: Sandbox['faults'] }) {
  const turn = useSandboxAction(changeFaults);
  const names = Object.keys(faults).toSorted((one, other) => placeOf(one) - placeOf(other));
  const on = names.filter((name) => faults[name] !== false);
  const allOff = () => turn.mutate(Object.fromEntries(on.map((name) => [name, false])));
  return (
    <Panel
      title="Faults"
      flush
      aside={
        <div className={classes.fields}>
          <span className={classes.quiet} aria-live="polite">
            {on.length === 0 ? 'No faults active' : `${formatNoun(on.length, 'fault')} active`}
          </span>
          {/* Not `disabled`, which would take the keyboard's place away. */}
          <Button
            aria-disabled={on.length === 0 || undefined}
            data-disabled={on.length === 0 || undefined}
            onClick={() => on.length > 0 && allOff()}
          >
            Clear all
          </Button>
        </div>
      }
    >
      {turn.error !== null && (
        <div className={classes.error}>
          <ErrorNote error={turn.error} />
        </div>
      )}
      <ul>
        {names.map((name) => (
          <FaultSwitch
            key={name}
            name={name}
            state={faults[name] ?? false}
            turn={(state) => turn.mutate({ [name]: state })}
          />
        ))}
      </ul>
    </Panel>
  );
}

const placeOf = (name: string) => (KNOWN_FAULTS.includes(name) ? KNOWN_FAULTS.indexOf(name) : Infinity);

interface FaultSwitchProps {
  name: string;
  state: boolean | number;
  turn: (state: boolean | number) => void;
}

function FaultSwitch({ name, state, turn }: FaultSwitchProps) {
  const label = faultLabel(name);
  const isOn = state !== false;
  return (
    <li className={classes.fault} data-on={isOn || undefined}>
      <Switch
        label={label.name}
        description={label.seen}
        checked={isOn}
        onChange={({ currentTarget }) => turn(currentTarget.checked)}
      />
      {typeof state === 'number' ? (
        <span className={classes.quiet}>next {state === 1 ? 'one' : state} only</span>
      ) : (
        <Button variant="subtle" size="compact-sm" aria-label={`Once: ${label.name}`} onClick={() => turn(1)}>
          Once
        </Button>
      )}
    </li>
  );
}
