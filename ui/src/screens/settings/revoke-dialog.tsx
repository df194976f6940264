import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Token } from '@contract/token';
import { AUDIT_KEY } from '../../api/audit';
import { revokeToken, tokensQuery } from '../../api/tokens';
import { ConfirmDialog } from '../../components/confirm-dialog';

interface RevokeDialogProps {
  /** Null closes the dialog. */
  token: Token | null;
  close: () => void;
  onClosed: () => void;
  onRevoked: (token: Token) => void;
}

/** Confirms revoking a token. */
export function RevokeDialog({ token, close, onClosed, onRevoked }: RevokeDialogProps) {
  const cache = useQueryClient();
  // Keeps the name while the dialog closes.
  const [shown, setShown] = useState(token);
  if (token !== null && token !== shown) setShown(token);
  const revocation = useMutation({
    mutationFn: ({ id }: Token) => revokeToken(id),
    onSuccess: async (_, revoked) => {
      onRevoked(revoked);
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
        if (!revocation.isPending) revocation.reset();
        close();
      }}
      onClosed={onClosed}
      cancelLabel="Cancel"
      confirmLabel="Revoke"
      isDestructive
      pending={revocation.isPending}
      error={revocation.error}
      confirm={() => token !== null && revocation.mutate(token)}
    >
      <p>
        Requests with this token are <strong>rejected immediately</strong>, and its live connections are
        closed. A revoked token cannot be restored; a new token has a different secret.
      </p>
    </ConfirmDialog>
  );
}
