import { NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target, TargetCreated } from '../../../../src/contract/target';
import { rotateTargetSecret } from '../../api/targets';
import { ConfirmDialog } from '../../components/confirm-dialog';

interface RotateSecretDialogProps {
  target: Target;
  opened: boolean;
  close: () => void;
  /** It worked: the answer holds the secret. */
  made: (created: TargetCreated) => void;
}

const OVERLAPS = [
  { value: '0', label: 'Not at all: only the new one signs' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
  { value: '2592000', label: 'For 30 days' },
];

/** Asks for how long both secrets hold, and makes the new one. */
export function RotateSecretDialog({ target, opened, close, made }: RotateSecretDialogProps) {
  const cache = useQueryClient();
  const [overlap, setOverlap] = useState('86400');
  const rotate = useMutation({
    mutationFn: () => rotateTargetSecret(target.id, { overlap_seconds: Number(overlap) }),
    onSuccess: async (created) => {
      made(created);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    // The answer is a secret: it is kept no longer than the page shows it.
    gcTime: 0,
  });
  return (
    <ConfirmDialog
      title="Rotate the signing secret?"
      opened={opened}
      close={close}
      cancelLabel="Leave it"
      confirmLabel="Make a new secret"
      isDestructive={overlap === '0'}
      pending={rotate.isPending}
      error={rotate.error}
      confirm={() => rotate.mutate()}
    >
      <p>
        A new secret signs from now on, and is shown once. While the one before signs too, your service takes
        what is sent with whichever it knows, and you can exchange it at leisure.
      </p>
      <NativeSelect
        label="The one before signs too"
        data={OVERLAPS}
        value={overlap}
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
      />
      {overlap === '0' && (
        <p>
          <strong>From that moment on your service refuses what is sent</strong>, until it knows the new one.
          This is right where somebody else has seen the old one.
        </p>
      )}
    </ConfirmDialog>
  );
}
