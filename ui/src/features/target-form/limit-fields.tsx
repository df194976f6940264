import { NativeSelect } from '@mantine/core';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { TextField } from './text-field';

/** Timeout, concurrency, rate limit and success statuses. */
export function LimitFields({ draft: { policy }, changePolicy, errorOf }: FormPart) {
  return (
    <div className={classes.fields}>
      <TextField
        label="Timeout"
        description="For the complete response; after that the attempt fails. 1 s to 60 s."
        value={policy.timeout}
        error={errorOf('policy.timeout_ms')}
        change={(timeout) => changePolicy({ timeout })}
      />
      <TextField
        label="Concurrency"
        description="Maximum number of concurrent requests. 1 to 64."
        value={policy.concurrency}
        error={errorOf('policy.concurrency')}
        change={(concurrency) => changePolicy({ concurrency })}
      />
      <TextField
        label="Rate limit"
        description="Maximum number of requests. Leave empty for no limit."
        placeholder="no limit"
        value={policy.rate}
        error={errorOf('policy.rate')}
        change={(rate) => changePolicy({ rate })}
      />
      <NativeSelect
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        label="Rate limit per"
        description="Per minute allows short bursts."
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
        label="Success statuses"
        description="Statuses that count as delivered: 2xx, or individual ones such as 204, 304."
        value={policy.success}
        error={errorOf('policy.success')}
        change={(success) => changePolicy({ success })}
      />
    </div>
  );
}
