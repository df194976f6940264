import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TokenCreated } from '@contract/token';
import { AUDIT_KEY } from '../../api/audit';
import { createToken, tokensQuery } from '../../api/tokens';
import { Dialog } from '../../components/dialog';
import { TokenForm, type TokenUse } from './token-form';

interface NewTokenDialogProps {
  initial: TokenUse;
  opened: boolean;
  close: () => void;
  onClosed: () => void;
  onCreated: (token: TokenCreated) => void;
}

/** Creates a token. */
export function NewTokenDialog({ initial, opened, close, onClosed, onCreated }: NewTokenDialogProps) {
  const cache = useQueryClient();
  const create = useMutation({
    mutationFn: createToken,
    // The response contains a secret, so it is not kept in the cache.
    gcTime: 0,
    onSuccess: async (token) => {
      onCreated(token);
      create.reset();
      await cache.invalidateQueries({ queryKey: tokensQuery.queryKey });
      await cache.invalidateQueries({ queryKey: AUDIT_KEY });
    },
  });
  return (
    <Dialog title="Create token" opened={opened} close={close} onClosed={onClosed}>
      <TokenForm
        initial={initial}
        pending={create.isPending}
        error={create.error}
        submit={(draft) => create.mutate(draft)}
        cancel={close}
      />
    </Dialog>
  );
}
