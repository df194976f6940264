import { RadioField } from './radio-field';
import type { FormPart } from './form-part';
import { toPolicyDraft } from './policy-draft';
import { defaultPolicyOf } from './target-draft';

const KINDS = {
  http: { label: 'To an address', description: 'A URL that this hub can reach.' },
  listener: {
    label: 'To a program that connects',
    description: 'switchboard listen receives events on any machine, also behind a firewall.',
  },
} as const;

/** Whether a new target has an address, or is a listener. */
export function KindField({ draft, change, changePolicy }: FormPart) {
  return (
    <RadioField
      label="Events are sent"
      value={draft.kind}
      choices={KINDS}
      change={(kind) => {
        change({ kind, format: 'json', events: ['*'] });
        changePolicy(toPolicyDraft(defaultPolicyOf(kind)));
      }}
    />
  );
}
