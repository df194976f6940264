import { IconCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { acceptType, payloadTypesQuery } from '../../api/payload-types';
import { ActionButton } from '../../components/action-button';
import { notifyFailure } from '../../components/notify-failure';

/** Accepts what has changed in the payloads of a type; that resolves the alert about it. */
export function AcceptButton({ type }: { type: string }) {
  const cache = useQueryClient();
  const accept = useMutation({
    mutationFn: () => acceptType(type),
    onSuccess: () => {
      // The button disappears, and with it the focus.
      document.querySelector('main')?.focus({ preventScroll: true });
      return cache.invalidateQueries({ queryKey: payloadTypesQuery.queryKey });
    },
    onError: notifyFailure(`Could not accept the changes of ${type}`),
  });
  return (
    <ActionButton
      variant="filled"
      leftSection={<IconCheck size={14} aria-hidden />}
      pending={accept.isPending}
      action={() => accept.mutate()}
    >
      Accept changes
    </ActionButton>
  );
}
