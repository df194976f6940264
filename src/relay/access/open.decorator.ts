import { SetMetadata, type CustomDecorator } from '@nestjs/common';

/** Where the guard looks for the mark. */
export const OPEN = 'switchboard:open';

/** Marks a route, or all routes of a controller, as open: no token and no session is asked for. */
export const Open = (): CustomDecorator => SetMetadata(OPEN, true);
