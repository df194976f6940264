import { useLocation } from '@tanstack/react-router';
import { BackLink } from '../../components/back-link';

/** The way back from an event: to the live list for who came from there, else to all events. */
export function EventBackLink() {
  const isLive = useLocation({ select: ({ state }) => state.cameFrom === '/live' });
  return isLive ? <BackLink to="/live">Live</BackLink> : <BackLink to="/events">Events</BackLink>;
}
