import { NativeSelect } from '@mantine/core';
import { ALERT_EVENTS, TARGET_FORMATS } from '@contract/constants';
import { FORMAT_LABELS } from '../../labels/format-labels';
import type { FormPart } from './form-part';

const OPTIONS = TARGET_FORMATS.map((format) => ({ value: format, label: FORMAT_LABELS[format].label }));

/** What a target receives: events, or messages about alerts. */
export function FormatField({ draft, change, changePolicy, errorOf }: FormPart) {
  const choose = (value: string) => {
    const format = TARGET_FORMATS.find((one) => one === value) ?? 'json';
    change({ format });
    if ((format === 'json') === (draft.format === 'json')) return;
    change({ events: format === 'json' ? ['*'] : ALERT_EVENTS });
    changePolicy({ ordering: format === 'json' ? 'none' : 'strict' });
  };
  return (
    <NativeSelect
      label="Format"
      description="A webhook sends events to software. All others send alerts to people."
      data={OPTIONS}
      value={draft.format}
      error={errorOf('format')}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  );
}
