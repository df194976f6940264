import { Notifications } from '@mantine/notifications';

/** What actions report, at the corner of the window. */
export const NotificationList = () => <Notifications position="bottom-left" limit={3} />;
