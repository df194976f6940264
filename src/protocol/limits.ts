/** Limits (document, 8). */
export const ACCESS_TOKEN_LIFETIME_SECONDS = 3600;
export const REDIRECT_URIS_PER_APPLICATION = 5;

/** A receiver must respond with 200 within this time (document, 6.3). */
export const RESPONSE_TIMEOUT_MS = 5_000;

/** The delay before each attempt to send a notification (document, 6.3). */
export const ATTEMPT_DELAYS_SECONDS = [0, 5, 25] as const;

/** From the first attempt of a notification to its last. */
export const RETRIED_FOR_MS = ATTEMPT_DELAYS_SECONDS.reduce<number>((sum, delay) => sum + delay, 0) * 1_000;
