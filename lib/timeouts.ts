/** Of a route that declares none. */
export const defaultTimeoutSeconds = 10;
/** Of a route that may do much, as one that starts a saga: API Gateway waits for 30 seconds. */
export const longTimeoutSeconds = 29;
/** Of a route that may ask a model. */
export const modelTimeoutSeconds = 30;
/** Of a route that may wait for an endpoint of a customer. */
export const testTimeoutSeconds = 15;

// Of workers whose leases and budgets follow from it.
export const fanOutTimeoutSeconds = 60;
export const sagaTimeoutSeconds = 60;
export const deliverTimeoutSeconds = 30;
export const senderTimeoutSeconds = 40;
export const mailTimeoutSeconds = 30;
export const attachmentTimeoutSeconds = 120;
export const pullTimeoutSeconds = 120;
export const sweepTimeoutSeconds = 55;
/** Polls of some tenants for half a minute, so that those of others have their turn. */
export const pollTimeoutSeconds = 75;
/** Of what asks for the messages of one person, after waiting for whoever sends. */
export const userPollTimeoutSeconds = 75;
