import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { Ref } from 'react';
import type { TokenCreated } from '../../../../src/contract/token';
import classes from './token-secret.module.css';

interface TokenSecretProps {
  token: TokenCreated;
  /** Takes the focus once it is there. */
  place: Ref<HTMLElement>;
  kept: () => void;
}

/** The secret of a new token, this once. */
export function TokenSecret({ token, place, kept }: TokenSecretProps) {
  const { copy, copied } = useClipboard({ timeout: 2_000 });
  return (
    <section className={classes.box} ref={place} tabIndex={-1} aria-label="The new token">
      <p>
        <strong>The token “{token.name}”, shown this once.</strong> It is stored as a hash and cannot be shown
        again: put it where you need it now.
      </p>
      <div className={classes.secret}>
        <code data-secret>{token.secret}</code>
        <Button
          className={classes.copy}
          leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          onClick={() => copy(token.secret)}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      <div>
        <Button variant="filled" onClick={kept}>
          I have kept it
        </Button>
      </div>
    </section>
  );
}
