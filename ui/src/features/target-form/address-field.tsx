import { TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { tryTarget } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { TestResult } from '../targets/test-result';
import fields from './fields.module.css';
import type { FormPart } from './form-part';
import { leavesOrigin, parseDraft, toTargetTrial } from './target-draft';

/** Where events are sent to, and whether somebody answers there. @param target that the form is of, if it is there */
export function AddressField({ draft, change, errorOf, target }: FormPart & { target: string | undefined }) {
  const trial = useMutation({ mutationFn: () => tryTarget(toTargetTrial(parseDraft(draft).input, target)) });
  return (
    <div>
      <TextInput
        label="Address"
        description="Events are sent here by POST. Redirects are not followed."
        placeholder="http://localhost:3000/hook"
        type="url"
        value={draft.url}
        error={errorOf('url')}
        onChange={({ currentTarget }) => {
          trial.reset();
          change({ url: currentTarget.value });
        }}
        required
        autoComplete="off"
        spellCheck={false}
      />
      {leavesOrigin(draft) && (
        <p aria-live="polite">
          <strong>This is a different origin than {draft.origin}. Its secrets are not carried over.</strong>{' '}
          Enter secret headers and the private key again below. Saving creates a new signing secret, which is
          shown once. Your service rejects requests until it has the new secret.
        </p>
      )}
      <div className={fields.row}>
        <ActionButton
          mt="sm"
          leftSection={<IconSend size={14} aria-hidden />}
          pending={trial.isPending}
          action={() => {
            if (draft.url.trim() !== '') trial.mutate();
          }}
        >
          Test address
        </ActionButton>
        <span className={fields.muted}>
          {target === undefined || leavesOrigin(draft)
            ? 'Sends one sample now. The secret does not exist yet, so a receiver that verifies signatures should reject it.'
            : 'Sends one sample now with these settings. Nothing is saved.'}
        </span>
      </div>
      <TestResult test={trial} />
    </div>
  );
}
