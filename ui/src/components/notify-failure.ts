import { notifications } from '@mantine/notifications';
import { ApiError } from '../api/api-error';

/** Shows an error notification, for failures that have no place of their own on the screen. */
export function notifyFailure(title: string): (error: unknown) => void {
  return (error) => {
    const message =
      error instanceof ApiError ? `${error.detail} ${error.remedy ?? ''}` : 'An error occurred on this page.';
    notifications.show({ title, message, color: 'red' });
  };
}
