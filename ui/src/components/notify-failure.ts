import { notifications } from '@mantine/notifications';
import { ApiError } from '../api/api-error';

/** Says in a corner that something did not work, where the screen has no better place for it. */
export function notifyFailure(title: string): (error: unknown) => void {
  return (error) => {
    const message =
      error instanceof ApiError ? `${error.detail} ${error.remedy ?? ''}` : 'An error occurred on this page.';
    notifications.show({ title, message, color: 'red' });
  };
}
