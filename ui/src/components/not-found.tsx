import { Link } from '@tanstack/react-router';
import { Screen } from './screen';

/** Shown for unknown URLs. */
export function NotFound() {
  return (
    <Screen title="Page not found">
      <p>
        Check the address for typos. <Link to="/">Go to Overview</Link>.
      </p>
    </Screen>
  );
}
