import { Link } from '@tanstack/react-router';
import { EmptyNote } from './empty-note';
import { Screen } from './screen';

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <Screen title="Page not found">
      <EmptyNote title="Page not found">
        <p>
          Check the address for typos. <Link to="/">Go to Overview</Link>.
        </p>
      </EmptyNote>
    </Screen>
  );
}
