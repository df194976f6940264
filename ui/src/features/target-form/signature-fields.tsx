import { Checkbox, NativeSelect } from '@mantine/core';
import { SIGNATURE_FORMS } from '@contract/constants';
import { SIGNATURE_FORM_LABELS } from '../../labels/signature-labels';
import classes from './fields.module.css';
import type { FormPart } from './form-part';
import { TextField } from './text-field';

/** Signatures beside that of Standard Webhooks. */
export function SignatureFields({ draft, change, errorOf }: FormPart) {
  return (
    <>
      <div className={classes.fields}>
        <TextField
          label="Signature header"
          description="A further signature, for a receiver that verifies another sender’s webhooks. Its key is the whole text of the signing secret. Empty: none."
          placeholder="x-hub-signature-256"
          value={draft.signatureHeader}
          error={errorOf('signature.header')}
          change={(signatureHeader) => change({ signatureHeader })}
        />
        <NativeSelect
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          label="Form of the signature"
          description="HMAC-SHA256 of the body; for Stripe, of time and body."
          data={SIGNATURE_FORMS.map((value) => ({ value, label: SIGNATURE_FORM_LABELS[value] }))}
          value={draft.signatureForm}
          onChange={({ currentTarget: { value } }) => {
            const form = SIGNATURE_FORMS.find((one) => one === value);
            if (form !== undefined) change({ signatureForm: form });
          }}
        />
      </div>
      <Checkbox
        label="Also sign with Ed25519"
        description="The receiver verifies it with a public key, which cannot sign (v1a of Standard Webhooks)."
        checked={draft.ed25519}
        onChange={({ currentTarget }) => change({ ed25519: currentTarget.checked })}
      />
    </>
  );
}
