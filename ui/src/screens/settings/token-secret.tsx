import { Button } from '@mantine/core';
import type { Ref } from 'react';
import type { TokenCreated } from '../../../../src/contract/token';
import { NewSecret } from '../../components/new-secret';
import classes from './token-secret.module.css';

interface TokenSecretProps {
  token: TokenCreated;
  /** Takes the focus once it is there. */
  place: Ref<HTMLElement>;
  kept: () => void;
}

/** The secret of a new token, this once. */
export function TokenSecret({ token, place, kept }: TokenSecretProps) {
  return (
    <section className={classes.box} ref={place} tabIndex={-1} aria-label="New token">
      <div>
        <p>
          <strong>Token “{token.name}”, shown only once.</strong> Only a hash is stored, so it cannot be shown
          again. Copy it now.
        </p>
        <NewSecret secret={token.secret} />
      </div>
      <div>
        <Button variant="filled" onClick={kept}>
          I’ve saved it
        </Button>
      </div>
    </section>
  );
}
