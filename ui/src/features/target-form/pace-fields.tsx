import { NativeSelect } from '@mantine/core';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { TextField } from './text-field';

/** How requests are made and what answer means that the event was taken. */
export function PaceFields({ draft: { policy }, changePolicy, complaint }: FormPart) {
  return (
    <div className={classes.fields}>
      <TextField
        label="Time to answer"
        description="To the last byte of the answer; then the try has failed. 1 s to 60 s."
        value={policy.timeout}
        error={complaint('policy.timeout_ms')}
        change={(timeout) => changePolicy({ timeout })}
      />
      <TextField
        label="At once"
        description="Requests under way at the same time, at most. 1 to 64."
        value={policy.concurrency}
        error={complaint('policy.concurrency')}
        change={(concurrency) => changePolicy({ concurrency })}
      />
      <TextField
        label="Rate limit"
        description="Requests, at most. Empty: as fast as it answers."
        placeholder="no limit"
        value={policy.rate}
        error={complaint('policy.rate')}
        change={(rate) => changePolicy({ rate })}
      />
      <NativeSelect
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        label="Rate limit counts by"
        description="Over a minute, short bursts may be faster."
        data={[
          { value: 'second', label: 'second' },
          { value: 'minute', label: 'minute' },
        ]}
        value={policy.ratePer}
        onChange={({ currentTarget: { value } }) =>
          changePolicy({ ratePer: value === 'minute' ? 'minute' : 'second' })
        }
      />
      <TextField
        label="Success"
        description="Answers that mean that it has the event: 2xx, or single ones such as 204, 304."
        value={policy.success}
        error={complaint('policy.success')}
        change={(success) => changePolicy({ success })}
      />
    </div>
  );
}
