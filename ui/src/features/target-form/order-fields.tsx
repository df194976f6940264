import { ON_DEAD_LABELS, ORDERING_LABELS } from '../../labels/policy-labels';
import { RadioField } from './radio-field';
import type { FormPart } from './form-part';

/** The delivery order, and whether a failed delivery blocks its lane. */
export function OrderFields({ draft: { policy }, changePolicy }: FormPart) {
  return (
    <>
      <RadioField
        label="Delivery order"
        value={policy.ordering}
        choices={ORDERING_LABELS}
        change={(ordering) => changePolicy({ ordering })}
      />
      {policy.ordering !== 'none' && (
        <RadioField
          label="When a delivery fails permanently"
          description="After its last attempt."
          value={policy.onDead}
          choices={ON_DEAD_LABELS}
          change={(onDead) => changePolicy({ onDead })}
        />
      )}
    </>
  );
}
