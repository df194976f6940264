import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Target } from '@contract/target';
import { GuardedButton } from '../../components/guarded-button';
import { Copyable } from '../../components/copyable';
import { Panel } from '../../components/panel';
import { RelativeTime } from '../../components/time-ago';
import { ExamineButton } from '../../features/targets/examine-button';
import { SigningSecret } from '../../features/signing-secret/signing-secret';
import { formatExact } from '../../format/exact';
import { RotateSecretDialog } from './rotate-secret-dialog';
import classes from './secret-panel.module.css';

interface SecretPanelProps {
  target: Target;
  /** A secret that was just created, until the user hides it. */
  newSecret: string | null;
  setNewSecret: (secret: string | null) => void;
}

/** The signing secret, which is only shown when it is created. */
export function SecretPanel({ target, newSecret, setNewSecret }: SecretPanelProps) {
  const [confirming, setConfirming] = useState(false);
  const newSecretRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (newSecret !== null) newSecretRef.current?.focus();
  }, [newSecret]);
  const until = target.previous_secret_until;
  return (
    <Panel title="Signing secret" aside={<ExamineButton target={target} />}>
      <div className={classes.parts}>
        {newSecret === null ? (
          <p className={classes.muted}>
            Set. It was shown once when it was created and cannot be shown again. Lost or exposed? Rotate it.
          </p>
        ) : (
          <div ref={newSecretRef} tabIndex={-1} aria-live="polite">
            <p>
              <strong>New secret, shown only once.</strong> Add it to your service now.
            </p>
            <SigningSecret secret={newSecret} target={target} />
          </div>
        )}
        {target.public_key !== null && (
          <div>
            <p className={classes.muted}>Public key for Ed25519 (v1a)</p>
            <Copyable value={target.public_key} label="Copy the public key" />
          </div>
        )}
        {until !== null && (
          <p className={classes.overlap}>
            The old secret stays valid until <time dateTime={until}>{formatExact(until).slice(0, 16)}</time> (
            <RelativeTime at={until} />
            ). Until then requests carry both signatures.
          </p>
        )}
        {newSecret === null ? (
          <GuardedButton leftSection={<IconKey size={14} aria-hidden />} onClick={() => setConfirming(true)}>
            Rotate secret
          </GuardedButton>
        ) : (
          <Button onClick={() => setNewSecret(null)}>I’ve saved it</Button>
        )}
      </div>
      <RotateSecretDialog
        target={target}
        opened={confirming}
        close={() => setConfirming(false)}
        onRotated={(created) => {
          setConfirming(false);
          setNewSecret(created.secret);
        }}
      />
    </Panel>
  );
}
