import { Checkbox, TagsInput } from '@mantine/core';
import type { OriginalOutcome } from '@contract/replay';
import { DebouncedInput } from '../../components/debounced-input';
import { TargetSelect } from '../../features/targets/target-select';
import { TimeRangeControl } from '../../components/time-range/time-range-control';
import type { ReplaySearch } from '../../search/replay-search';
import { TYPE_SUGGESTIONS } from '../../labels/event-types';
import { OUTCOME_LABELS, OUTCOMES } from '../../labels/replay-labels';
import classes from './new-replay-screen.module.css';

const isOutcome = (text: string): text is OriginalOutcome => text in OUTCOME_LABELS;

interface StepProps {
  plan: ReplaySearch;
  change: (part: ReplaySearch) => void;
}

/** The first step: which events. */
export function ChooseEvents({ plan, change }: StepProps) {
  const { type = [], entity = '', q = '', outcome = [] } = plan;
  return (
    <>
      <TagsInput
        label="Event types"
        description="Types or patterns. Leave empty for all Co&#8209;Pilot events."
        placeholder={type.length === 0 ? 'deal.*' : ''}
        data={TYPE_SUGGESTIONS}
        value={type}
        splitChars={[',', ' ']}
        onChange={(types) => change({ type: types })}
        withScrollArea={false}
        comboboxProps={{ shadow: 'md', portalProps: { target: '#main' } }}
        styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
      />
      <div className={classes.pair}>
        <TimeRangeControl label="Received" value={plan} onChange={change} />
        <DebouncedInput
          label="Entity"
          placeholder="deal:42"
          value={entity}
          onCommit={(text) => change({ entity: text })}
        />
        <DebouncedInput
          label="Text in the payload"
          maxLength={200}
          value={q}
          onCommit={(text) => change({ q: text })}
        />
        <TargetSelect
          label="Sent to"
          none="Any target"
          value={plan.target}
          onSelect={(target) => change({ target })}
        />
      </div>
      <Checkbox.Group
        label="Status at the target"
        description="Of the latest delivery, when the event’s turn comes. Leave empty for any."
        value={outcome}
        onChange={(names) => change({ outcome: names.filter(isOutcome) })}
      >
        <div className={classes.choices}>
          {OUTCOMES.map((name) => (
            <Checkbox key={name} value={name} label={OUTCOME_LABELS[name].label} />
          ))}
        </div>
      </Checkbox.Group>
    </>
  );
}
