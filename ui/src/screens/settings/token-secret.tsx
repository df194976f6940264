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
    <section className={classes.box} ref={place} tabIndex={-1} aria-label="The new token">
      <div>
        <p>
          <strong>The token “{token.name}”, shown this once.</strong> It is stored as a hash and cannot be
          shown again: put it where you need it now.
        </p>
        <NewSecret secret={token.secret} />
      </div>
      <div>
        <Button variant="filled" onClick={kept}>
          I have kept it
        </Button>
      </div>
    </section>
  );
}
