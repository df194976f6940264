import { ON_DEAD_LABELS, ORDERING_LABELS } from '../../labels/policy-labels';
import { ChoiceField } from './choice-field';
import type { FormPart } from './form-part';

/** Whether events wait for each other, and what a dead one does to those behind it. */
export function OrderFields({ draft: { policy }, changePolicy }: FormPart) {
  return (
    <>
      <ChoiceField
        label="Delivery order"
        value={policy.ordering}
        choices={ORDERING_LABELS}
        change={(ordering) => changePolicy({ ordering })}
      />
      {policy.ordering !== 'none' && (
        <ChoiceField
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
