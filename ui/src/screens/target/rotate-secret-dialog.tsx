import { NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target, TargetCreated } from '@contract/target';
import { rotateTargetSecret } from '../../api/targets';
import { ConfirmDialog } from '../../components/confirm-dialog';
import { formatExact } from '../../format/exact';

interface RotateSecretDialogProps {
  target: Target;
  opened: boolean;
  close: () => void;
  /** Called with the response, which contains the secret. */
  onRotated: (created: TargetCreated) => void;
}

const OVERLAPS = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
];

/** Rotates the signing secret, with an overlap. */
export function RotateSecretDialog({ target, opened, close, onRotated }: RotateSecretDialogProps) {
  const cache = useQueryClient();
  const [overlap, setOverlap] = useState('86400');
  const rotate = useMutation({
    mutationFn: () => rotateTargetSecret(target.id, { overlap_seconds: Number(overlap) }),
    onSuccess: async (created) => {
      onRotated(created);
      await cache.invalidateQueries({ queryKey: ['targets'] });
    },
    // The response contains a secret, so it is not kept in the cache.
    gcTime: 0,
  });
  return (
    <ConfirmDialog
      title="Rotate signing secret?"
      opened={opened}
      close={close}
      cancelLabel="Cancel"
      confirmLabel="Rotate secret"
      isDestructive={overlap === '0'}
      pending={rotate.isPending}
      error={rotate.error}
      confirm={() => rotate.mutate()}
    >
      <p>
        Requests are signed with a new secret, which is shown once. While the old secret stays valid, requests
        carry both signatures, so your service can switch over at any time.
      </p>
      {target.previous_secret_until !== null && (
        <p>
          The secret of before the last rotation, valid until{' '}
          {formatExact(target.previous_secret_until).slice(0, 16)}, ends <strong>now</strong>: only the
          current one stays valid.
        </p>
      )}
      <NativeSelect
        label="Keep the old secret valid for"
        data={OVERLAPS}
        data-autofocus
        value={overlap}
        onChange={({ currentTarget }) => setOverlap(currentTarget.value)}
      />
      {overlap === '0' && (
        <p>
          <strong>Your service will reject requests</strong> until it has the new secret. Choose this if the
          old secret was exposed.
        </p>
      )}
    </ConfirmDialog>
  );
}
