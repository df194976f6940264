import { Link } from '@tanstack/react-router';
import { EmptyNote } from './empty-note';
import { Screen } from './screen';

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <Screen title="Nothing here">
      <EmptyNote title="No screen has this address">
        <p>
          It may have been mistyped. <Link to="/">Go to the overview</Link>.
        </p>
      </EmptyNote>
    </Screen>
  );
}
