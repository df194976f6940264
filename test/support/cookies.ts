/** `name=value` of the cookies that an answer sets, as a browser sends them back; '' where there are none. */
export const cookiesOf = ({ headers }: { headers: Headers }): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ');
