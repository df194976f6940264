import { Button, Combobox, Popover, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState, type FormEvent } from 'react';
import { describeTimePoint, POINT_PRESETS, resolveTimePoint } from '../../format/time-point';
import { formatTime, parseTime } from '../../format/time-range';
import { FormPopover } from '../form-popover';
import classes from './time-range-control.module.css';

interface TimePointControlProps {
  /** What the time is for: `As of`. */
  label: string;
  /** What it means that none is selected. */
  none: string;
  value: string | undefined;
  onChange: (point: string | undefined) => void;
}

/** Selects a point in time: one before now, or a time to write. */
export function TimePointControl({ label, none, value, onChange }: TimePointControlProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const text = value === undefined ? none : describeTimePoint(value);
  const select = (point: string | undefined) => {
    onChange(point);
    close();
  };
  return (
    <FormPopover opened={opened} onChange={close} position="bottom-start" width={272}>
      <Popover.Target>
        <Button
          fw={400}
          justify="space-between"
          className={classes.button}
          rightSection={<Combobox.Chevron size="sm" aria-hidden />}
          onClick={toggle}
        >
          <span className={classes.text}>
            <span className={classes.label}>{label}</span> {text}
          </span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} className={classes.dropdown}>
        <div className={classes.presets}>
          {[undefined, ...POINT_PRESETS].map((preset) => (
            <Button
              key={preset ?? none}
              variant="subtle"
              justify="start"
              className={classes.preset}
              aria-pressed={preset === value}
              onClick={() => select(preset)}
            >
              {preset === undefined ? none : describeTimePoint(preset)}
            </Button>
          ))}
        </div>
        <WrittenTime value={value} onApply={select} />
      </Popover.Dropdown>
    </FormPopover>
  );
}

function WrittenTime({ value, onApply }: { value: string | undefined; onApply: (time: string) => void }) {
  const [text, setText] = useState(() => {
    const time = value === undefined ? undefined : resolveTimePoint(value, Date.now());
    return time === undefined ? '' : formatTime(time);
  });
  const [isWrong, setWrong] = useState(false);
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const time = parseTime(text);
    setWrong(time === null);
    if (time !== null) onApply(time);
  };
  return (
    <form className={classes.custom} onSubmit={apply} noValidate>
      <TextInput
        label="Time"
        placeholder="YYYY-MM-DD HH:mm"
        autoComplete="off"
        inputMode="numeric"
        value={text}
        error={isWrong && 'Write it as 2026-11-22 23:00.'}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" variant="filled" fullWidth>
        Apply
      </Button>
    </form>
  );
}
