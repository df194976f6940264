import { Checkbox } from '@mantine/core';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { TextField } from './text-field';

/** When sending stops because the target is down, and how its recovery is looked for. */
export function BreakerFields({ draft: { policy }, changePolicy, complaint }: FormPart) {
  return (
    <>
      <Checkbox
        label="Stop sending while it is down"
        description="No answer, 429 and 5xx are signs of an outage; other answers are not. While the breaker is open deliveries wait without spending tries, and single ones probe whether it is back."
        checked={policy.breaks}
        onChange={({ currentTarget }) => changePolicy({ breaks: currentTarget.checked })}
      />
      {policy.breaks && (
        <div className={classes.fields}>
          <TextField
            label="Opens after"
            description="So many such failures in a row. 1 to 1,000."
            value={policy.failures}
            error={complaint('policy.breaker.failures')}
            change={(failures) => changePolicy({ failures })}
          />
          <TextField
            label="First probe after"
            description="Each probe that fails doubles the distance to the next."
            value={policy.firstProbe}
            error={complaint('policy.breaker.first_probe_s')}
            change={(firstProbe) => changePolicy({ firstProbe })}
          />
          <TextField
            label="Probes at least every"
            description="The distance grows no further than this."
            value={policy.probeCap}
            error={complaint('policy.breaker.cap_s')}
            change={(probeCap) => changePolicy({ probeCap })}
          />
        </div>
      )}
    </>
  );
}
