import { Checkbox } from '@mantine/core';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { TextField } from './text-field';

/** When the circuit breaker opens and how it probes. */
export function BreakerFields({ draft: { policy }, changePolicy, errorOf }: FormPart) {
  return (
    <>
      <Checkbox
        label="Stop sending while the target is down"
        description="Network errors, 429 and 5xx count as outages; other responses do not. While the circuit breaker is open, deliveries are queued without using up attempts, and single probes check for recovery."
        checked={policy.hasBreaker}
        onChange={({ currentTarget }) => changePolicy({ hasBreaker: currentTarget.checked })}
      />
      {policy.hasBreaker && (
        <div className={classes.fields}>
          <TextField
            label="Opens after"
            description="Consecutive failures before the circuit breaker opens. 1 to 1,000."
            value={policy.breakerFailures}
            error={errorOf('policy.breaker.failures')}
            change={(failures) => changePolicy({ breakerFailures: failures })}
          />
          <TextField
            label="First probe after"
            description="Each failed probe doubles the interval."
            value={policy.firstProbe}
            error={errorOf('policy.breaker.first_probe_s')}
            change={(firstProbe) => changePolicy({ firstProbe })}
          />
          <TextField
            label="Maximum probe interval"
            description="The interval does not grow beyond this."
            value={policy.maxProbeInterval}
            error={errorOf('policy.breaker.cap_s')}
            change={(probeCap) => changePolicy({ maxProbeInterval: probeCap })}
          />
        </div>
      )}
    </>
  );
}
