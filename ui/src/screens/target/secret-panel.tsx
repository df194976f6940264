import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Target } from '../../../../src/contract/target';
import { NewSecret } from '../../components/new-secret';
import { Panel } from '../../components/panel';
import { TimeAgo } from '../../components/time-ago';
import { formatExact } from '../../format/exact';
import { RotateSecretDialog } from './rotate-secret-dialog';
import classes from './secret-panel.module.css';

interface SecretPanelProps {
  target: Target;
  /** A new one that was just made, until it is hidden. */
  made: string | null;
  setMade: (secret: string | null) => void;
}

/** The secret that signs: never shown but once, and exchanged for another while both hold. */
export function SecretPanel({ target, made, setMade }: SecretPanelProps) {
  const [asking, setAsking] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (made !== null) place.current?.focus();
  }, [made]);
  const until = target.signs_twice_until;
  return (
    <Panel title="Signing secret">
      <div className={classes.parts}>
        {made === null ? (
          <p className={classes.muted}>
            Set. It was shown once when it was created and cannot be shown again. Lost or exposed? Rotate it.
          </p>
        ) : (
          <div ref={place} tabIndex={-1} aria-live="polite">
            <p>
              <strong>New secret, shown only once.</strong> Add it to your service now.
            </p>
            <NewSecret secret={made} />
          </div>
        )}
        {until !== null && (
          <p className={classes.overlap}>
            The old secret stays valid until {formatExact(until).slice(0, 16)} (<TimeAgo at={until} />
            ). Until then requests carry both signatures.
          </p>
        )}
        {made === null ? (
          <Button leftSection={<IconKey size={14} aria-hidden />} onClick={() => setAsking(true)}>
            Rotate secret
          </Button>
        ) : (
          <Button onClick={() => setMade(null)}>I’ve saved it</Button>
        )}
      </div>
      <RotateSecretDialog
        target={target}
        opened={asking}
        close={() => setAsking(false)}
        made={(created) => {
          setAsking(false);
          setMade(created.secret);
        }}
      />
    </Panel>
  );
}
