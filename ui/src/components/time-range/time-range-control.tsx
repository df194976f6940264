import { Button, Combobox, Input, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { describeTimeRange, RANGE_PRESETS, type TimeRange } from '../../format/time-range';
import { CustomRange } from './custom-range';
import { FormPopover } from '../form-popover';
import classes from './time-range-control.module.css';

interface TimeRangeControlProps {
  /** Which time it is about: `Received`. */
  label: string;
  isLabelHidden?: boolean;
  /** What it means that none is selected. */
  none?: string;
  value: TimeRange;
  /** Is passed each of the three parts, so that the others of a previous range are replaced. */
  onChange: (range: TimeRange) => void;
}

/** Selects a range of time: one relative to now, or two times. */
export function TimeRangeControl({
  label,
  isLabelHidden = false,
  none = 'Any time',
  value,
  onChange,
}: TimeRangeControlProps) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const text = describeTimeRange(value) ?? none;
  const select = (range: TimeRange) => {
    onChange({ range: undefined, since: undefined, until: undefined, ...range });
    close();
  };
  return (
    <Input.Wrapper label={isLabelHidden ? null : label} labelElement="div">
      <FormPopover opened={opened} onChange={close} position="bottom-start" width={272}>
        <Popover.Target>
          <Button
            fullWidth
            fw={400}
            justify="space-between"
            className={classes.button}
            rightSection={<Combobox.Chevron size="sm" aria-hidden />}
            aria-label={`${label}: ${text}`}
            title={text}
            onClick={toggle}
          >
            <span className={classes.text}>{text}</span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={label} className={classes.dropdown}>
          <div className={classes.presets}>
            {[null, ...RANGE_PRESETS].map((preset) => {
              const range = preset === null ? {} : { range: preset };
              const name = describeTimeRange(range) ?? none;
              return (
                <Button
                  key={name}
                  variant="subtle"
                  justify="start"
                  className={classes.preset}
                  aria-pressed={name === text}
                  data-autofocus={name === text || undefined}
                  onClick={() => select(range)}
                >
                  {name}
                </Button>
              );
            })}
          </div>
          <CustomRange value={value} onApply={select} />
        </Popover.Dropdown>
      </FormPopover>
    </Input.Wrapper>
  );
}
