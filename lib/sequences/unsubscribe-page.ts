/** Returns a page for the recipient of a sequence mail, who has no key and no session. It runs nothing and tells nobody its address. */
export const unsubscribePage = (text: string) => ({
  status: 200,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    'Referrer-Policy': 'no-referrer',
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title><body style="font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem">${text}</body></html>`,
});
