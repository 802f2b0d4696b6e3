/** Under these the worker that sends mail measures. */
export const mailDimensions = { worker: 'send-email' };
