/** Under these the worker that mails links measures. */
export const signInDimensions = { worker: 'send-sign-ins' };
