import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Token } from '../../../../src/contract/token';
import { AUDIT_KEY } from '../../api/audit';
import { revokeToken, tokensQuery } from '../../api/tokens';
import { ConfirmDialog } from '../../components/confirm-dialog';

interface RevokeDialogProps {
  /** Null: nothing is asked. */
  token: Token | null;
  close: () => void;
  closed: () => void;
  revoked: (token: Token) => void;
}

/** Asks before a token is ended. */
export function RevokeDialog({ token, close, closed, revoked }: RevokeDialogProps) {
  const cache = useQueryClient();
  // Its name stays on the dialog while that goes from the screen.
  const [shown, setShown] = useState(token);
  if (token !== null && token !== shown) setShown(token);
  const end = useMutation({
    mutationFn: ({ id }: Token) => revokeToken(id),
    onSuccess: async (_, ended) => {
      revoked(ended);
      close();
      await cache.invalidateQueries({ queryKey: tokensQuery.queryKey });
      await cache.invalidateQueries({ queryKey: AUDIT_KEY });
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke “${shown?.name ?? ''}”?`}
      opened={token !== null}
      close={() => {
        if (!end.isPending) end.reset();
        close();
      }}
      closed={closed}
      cancelLabel="Cancel"
      confirmLabel="Revoke"
      isDestructive
      pending={end.isPending}
      error={end.error}
      confirm={() => token !== null && end.mutate(token)}
    >
      <p>
        Requests with this token are <strong>rejected immediately</strong>, and its live connections are
        closed. A revoked token cannot be restored; a new token has a different secret.
      </p>
    </ConfirmDialog>
  );
}
