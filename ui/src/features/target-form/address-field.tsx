import { Group } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { FORMAT_LABELS } from '../../labels/format-labels';
import { testAddress } from '../../api/targets';
import { ActionButton } from '../../components/action-button';
import { TestResult } from '../targets/test-result';
import fields from './fields.module.css';
import type { FormPart } from './form-part';
import { RequiredInput } from './required-input';
import { isOriginChanged, needsSecretsAgain, originOf, parseDraft, toAddressTest } from './target-draft';

/** The address of a target, with a test. @param target the id of an existing target */
export function AddressField({ draft, change, errorOf, target }: FormPart & { target: string | undefined }) {
  const { address, placeholder } = FORMAT_LABELS[draft.format];
  const test = useMutation({ mutationFn: () => testAddress(toAddressTest(parseDraft(draft).input, target)) });
  return (
    <div>
      <RequiredInput
        label="Address"
        missing="Enter an address."
        description={address}
        placeholder={placeholder}
        inputMode="url"
        value={draft.url}
        error={errorOf('url')}
        onChange={({ currentTarget }) => {
          test.reset();
          change({ url: currentTarget.value });
        }}
        autoComplete="off"
        spellCheck={false}
      />
      {isOriginChanged(draft) && (
        <p aria-live="polite">
          <strong>
            This is a different origin than {originOf(draft.stored!.url)}. Its secrets are not carried over.
          </strong>{' '}
          Enter secret headers and the private key again below. Saving creates a new signing secret, which is
          shown once. Your service will reject requests until it has the new secret.
        </p>
      )}
      {needsSecretsAgain(draft) && !isOriginChanged(draft) && (
        <p aria-live="polite">
          <strong>The messages go to another recipient. Stored secrets are not used for it.</strong> Enter the
          password, or secret headers and the private key, again.
        </p>
      )}
      <Group gap="sm" mt="sm">
        <ActionButton
          leftSection={<IconSend size={14} aria-hidden />}
          pending={test.isPending}
          action={() => {
            if (draft.url.trim() !== '') test.mutate();
          }}
        >
          Test address
        </ActionButton>
        <span className={fields.muted}>
          {draft.format !== 'json'
            ? 'Sends one message now. Nothing is saved.'
            : target === undefined || isOriginChanged(draft)
              ? 'Sends one sample now. The secret does not exist yet, so a receiver that verifies signatures should reject it.'
              : 'Sends one sample now with these settings. Nothing is saved.'}
        </span>
      </Group>
      <TestResult test={test} />
    </div>
  );
}
