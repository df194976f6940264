import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TokenCreated } from '../../../../src/contract/token';
import { AUDIT_KEY } from '../../api/audit';
import { createToken, tokensQuery } from '../../api/tokens';
import { Dialog } from '../../components/dialog';
import { TokenForm } from './token-form';

interface NewTokenDialogProps {
  opened: boolean;
  close: () => void;
  closed: () => void;
  made: (token: TokenCreated) => void;
}

/** Asks what a new token is for and what it may do. */
export function NewTokenDialog({ opened, close, closed, made }: NewTokenDialogProps) {
  const cache = useQueryClient();
  const create = useMutation({
    mutationFn: createToken,
    // The secret is shown, not kept: not even in the page's own memory of what it did.
    gcTime: 0,
    onSuccess: async (token) => {
      made(token);
      create.reset();
      await cache.invalidateQueries({ queryKey: tokensQuery.queryKey });
      await cache.invalidateQueries({ queryKey: AUDIT_KEY });
    },
  });
  return (
    <Dialog title="Create token" opened={opened} close={close} closed={closed}>
      <TokenForm
        pending={create.isPending}
        error={create.error}
        submit={(draft) => create.mutate(draft)}
        leave={close}
      />
    </Dialog>
  );
}
